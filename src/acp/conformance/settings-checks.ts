/** Options of a session, in both versions: v1 names them `id`, v2 `configId`. */
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { onResult } from "./evidence.js";
import type { Evidence } from "./evidence.js";
import { failed, PASS, untested } from "./requirement.js";
import type { Finding } from "./requirement.js";
import { selectValues } from "./scenes/handshake.js";
import { shownReply } from "./transcript.js";

export const optionsIn = (configOptions: unknown): readonly JsonObject[] =>
  Array.isArray(configOptions) ? configOptions.filter(isJsonObject) : [];

const optionId = (option: JsonObject): unknown => option["configId"] ?? option["id"];

/** Judges the options of a new session, when it has some. */
export function onOptions(evidence: Evidence, judge: (options: readonly JsonObject[]) => Finding): Finding {
  return onResult(evidence, ["hello", "new"], ({ configOptions }) => {
    const options = optionsIn(configOptions);
    return options.length > 0 ? judge(options) : untested("session/new gave no configOptions");
  });
}

export function possibleValues(options: readonly JsonObject[]): Finding {
  const odd = options.find((option) => !hasItsValue(option));
  return odd ? failed(`not one of its values: ${JSON.stringify(odd)}`) : PASS;
}

function hasItsValue(option: JsonObject): boolean {
  if (option["type"] === "boolean") return typeof option["currentValue"] === "boolean";
  return option["type"] !== "select" || selectValues(option["options"]).includes(option["currentValue"]);
}

/** Every option is there again, and the changed one has its new value. */
export function completeAnswer(evidence: Evidence): Finding {
  return onOptions(evidence, (options) =>
    onResult(evidence, ["hello", "set option"], ({ configOptions }, reply) => {
      const now = optionsIn(configOptions);
      const lost = missingFrom(now, options);
      if (lost !== undefined) return failed(`${JSON.stringify(lost)} is missing: ${shownReply(reply)}`);
      const sent = reply.lines[reply.asked]?.message;
      const params = isJsonObject(sent) && isJsonObject(sent["params"]) ? sent["params"] : {};
      const changed = now.find((option) => optionId(option) === params["configId"]);
      return changed?.["currentValue"] === params["value"]
        ? PASS
        : failed(`the new value is not there: ${shownReply(reply)}`);
    }),
  );
}

/** The id of an option that is not there any more. */
export function missingFrom(now: readonly JsonObject[], before: readonly JsonObject[]): unknown {
  return before.map(optionId).find((id) => !now.some((option) => optionId(option) === id));
}
