/** v1: modes and options of a session. There is no capability for them: they are there when session/new has them. */
import { pluralize } from "../../../call/index.js";
import { isJsonObject, isNone } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { onResult } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement } from "../requirement.js";
import { completeAnswer, onOptions, optionsIn, possibleValues } from "../settings-checks.js";
import { shown, updatesIn } from "../transcript.js";

function onModes(evidence: Evidence, judge: (modes: JsonObject) => Finding): Finding {
  return onResult(evidence, ["hello", "new"], ({ modes }) =>
    isJsonObject(modes) ? judge(modes) : untested("session/new gave no modes"),
  );
}

export const SETTINGS: readonly Requirement[] = [
  {
    id: "ACP-MODES-001",
    level: "capability",
    text: "The current mode is one of the available ones.",
    scenes: ["hello"],
    check: (evidence) =>
      onModes(evidence, ({ availableModes, currentModeId }) => {
        const modes = Array.isArray(availableModes) ? availableModes.filter(isJsonObject) : [];
        return modes.some(({ id }) => id === currentModeId)
          ? PASS
          : failed(`${JSON.stringify(currentModeId)} is not among ${pluralize(modes.length, "mode")}`);
      }),
  },
  {
    id: "ACP-MODES-002",
    level: "capability",
    text: "session/set_mode to another mode succeeds, and an update about it has a currentModeId.",
    scenes: ["hello"],
    check: (evidence) =>
      onModes(evidence, () =>
        onResult(evidence, ["hello", "set mode"], (_, { lines }) => {
          const odd = updatesIn(lines).find(
            ({ update }) =>
              update["sessionUpdate"] === "current_mode_update" && isNone(update["currentModeId"]),
          );
          return odd ? failed(shown(odd.line)) : PASS;
        }),
      ),
  },
  {
    id: "ACP-CONFIG-001",
    level: "capability",
    text: "The current value of every option is one that it can have.",
    scenes: ["hello"],
    check: (evidence) => onOptions(evidence, possibleValues),
  },
  {
    id: "ACP-CONFIG-002",
    level: "capability",
    text: "session/set_config_option answers with all options, and with the new value.",
    scenes: ["hello"],
    check: completeAnswer,
  },
  {
    id: "ACP-CONFIG-003",
    level: "mandatory",
    text: "A client that does not offer it is given no option of type boolean.",
    scenes: ["hello"],
    check: (evidence) =>
      onResult(evidence, ["hello", "new"], ({ configOptions }) => {
        const odd = optionsIn(configOptions).find(({ type }) => type === "boolean");
        return odd ? failed(JSON.stringify(odd)) : PASS;
      }),
  },
];
