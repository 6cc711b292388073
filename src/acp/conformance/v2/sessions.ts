/** v2: sessions that are listed, resumed and deleted, and their options. */
import { isJsonObject } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { isAbsolutePath } from "../call-rules.js";
import { onReply, onResult, onTurn, whenAdvertised } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement, SceneName } from "../requirement.js";
import { completeAnswer, missingFrom, onOptions, optionsIn, possibleValues } from "../settings-checks.js";
import { shown, shownReply, updatesIn } from "../transcript.js";
import type { Reply, Update } from "../transcript.js";

const HISTORY =
  /^(?:(?:user|agent)_(?:message|thought)(?:_chunk)?|tool_call_update|tool_call_content_chunk|plan_update|terminal_.*)$/;
const isHistory = ({ update }: Update): boolean => HISTORY.test(String(update["sessionUpdate"]));

/** The updates that were sent while the session was reopened. */
function replayed(evidence: Evidence, judge: (updates: readonly Update[], reply: Reply) => Finding): Finding {
  return onReply(evidence, ["loaded", "load"], (reply) =>
    reply.kind === "result"
      ? judge(updatesIn(reply.lines.slice(reply.asked, reply.at)), reply)
      : untested(`session/resume failed: ${shownReply(reply)}`),
  );
}

function sameMessageId(evidence: Evidence): Finding {
  return replayed(evidence, (updates) =>
    onTurn(evidence, ["loaded", "prompt"], ({ reply }) => {
      const accepted =
        reply.kind === "result" && isJsonObject(reply.result) ? reply.result["messageId"] : undefined;
      const users = updates.filter(({ update }) =>
        String(update["sessionUpdate"]).startsWith("user_message"),
      );
      if (users.length === 0) return untested("the prompt was not played again");
      return users.some(({ update }) => update["messageId"] === accepted)
        ? PASS
        : failed(
            `the prompt was ${JSON.stringify(accepted)}, and is ${JSON.stringify(users[0]?.update["messageId"])}`,
          );
    }),
  );
}

/** A chunk adds to a message that must have started in the same replay. */
function chunksBelong(evidence: Evidence): Finding {
  return replayed(evidence, (updates) => {
    const started = new Set<unknown>();
    for (const { update, line } of updates) {
      const type = String(update["sessionUpdate"]);
      if (/^(?:user|agent)_(?:message|thought)$/.test(type)) started.add(update["messageId"]);
      if (/_(?:message|thought)_chunk$/.test(type) && !started.has(update["messageId"]))
        return failed(shown(line));
    }
    return PASS;
  });
}

const sessionsIn = ({ sessions }: JsonObject): readonly JsonObject[] =>
  Array.isArray(sessions) ? sessions.filter(isJsonObject) : [];

const succeeds =
  (scene: SceneName, step: string) =>
  (evidence: Evidence): Finding =>
    onResult(evidence, [scene, step], () => PASS);

const whenDeletable =
  (judge: (evidence: Evidence) => Finding) =>
  (evidence: Evidence): Finding =>
    whenAdvertised(evidence, ["hello", "session.delete"], () => judge(evidence));

const has = (list: JsonObject, sessionId: unknown): boolean =>
  sessionsIn(list).some((one) => one["sessionId"] === sessionId);

function isGone(evidence: Evidence): Finding {
  return onResult(evidence, ["hello", "new again"], ({ sessionId }) =>
    onResult(evidence, ["hello", "list here"], (before) => {
      if (!has(before, sessionId)) return untested("the session was not listed before it was deleted");
      return onResult(evidence, ["hello", "list after delete"], (after, reply) =>
        has(after, sessionId) ? failed(shownReply(reply)) : PASS,
      );
    }),
  );
}

/** Options that come later must be all of them. */
function completeUpdates(evidence: Evidence): Finding {
  return onOptions(evidence, (options) => {
    const lines = evidence.scenes.get("hello")?.conversations[0] ?? [];
    const updates = updatesIn(lines).filter(
      ({ update }) => update["sessionUpdate"] === "config_option_update",
    );
    const odd = updates.find(
      ({ update }) => missingFrom(optionsIn(update["configOptions"]), options) !== undefined,
    );
    if (odd) return failed(shown(odd.line));
    return updates.length > 0 ? PASS : untested("no config_option_update was seen");
  });
}

const listed = { level: "capability", scenes: ["hello"] } as const;

export const SESSIONS_V2: readonly Requirement[] = [
  {
    id: "ACP-RESUME-201",
    level: "capability",
    text: "session/resume opens a session again after a restart, with a valid result.",
    scenes: ["resumed"],
    check: succeeds("resumed", "resume"),
  },
  {
    id: "ACP-RESUME-202",
    level: "capability",
    text: "With replayFrom all of the history comes before the answer.",
    scenes: ["loaded"],
    check: (evidence) =>
      replayed(evidence, (_, reply) => {
        const late =
          reply.kind === "result" ? updatesIn(reply.lines.slice(reply.at)).find(isHistory) : undefined;
        return late ? failed(shown(late.line)) : PASS;
      }),
  },
  {
    id: "ACP-RESUME-203",
    level: "capability",
    text: "Without replayFrom no history is played again.",
    scenes: ["resumed"],
    check: (evidence) =>
      onReply(evidence, ["resumed", "resume"], (reply) => {
        if (reply.kind !== "result") return untested(`session/resume failed: ${shownReply(reply)}`);
        const played = updatesIn(reply.lines.slice(reply.asked, reply.at)).find(isHistory);
        return played ? failed(shown(played.line)) : PASS;
      }),
  },
  {
    id: "ACP-RESUME-204",
    level: "capability",
    text: "A prompt is played again with the messageId that it was accepted with.",
    scenes: ["loaded"],
    check: sameMessageId,
  },
  {
    id: "ACP-RESUME-205",
    level: "capability",
    text: "In a replay the chunks of a message follow the message that they belong to.",
    scenes: ["loaded"],
    check: chunksBelong,
  },
  {
    ...listed,
    id: "ACP-LIST-201",
    text: "session/list succeeds, with a valid result.",
    check: succeeds("hello", "list"),
  },
  {
    ...listed,
    id: "ACP-LIST-202",
    text: "session/list of a folder without sessions is an empty list.",
    check: (evidence) =>
      onResult(evidence, ["hello", "list nowhere"], ({ sessions }, reply) =>
        Array.isArray(sessions) && sessions.length === 0 ? PASS : failed(shownReply(reply)),
      ),
  },
  {
    ...listed,
    id: "ACP-LIST-203",
    text: "session/list of a folder has only sessions of that folder.",
    check: (evidence) =>
      onResult(evidence, ["hello", "list here"], (result, reply) => {
        const sent = reply.lines[reply.asked]?.message;
        const params = isJsonObject(sent) && isJsonObject(sent["params"]) ? sent["params"] : {};
        return sessionsIn(result).every(({ cwd }) => cwd === params["cwd"])
          ? PASS
          : failed(shownReply(reply));
      }),
  },
  {
    ...listed,
    id: "ACP-LIST-204",
    text: "The cwd of every listed session is absolute.",
    check: (evidence) =>
      onResult(evidence, ["hello", "list"], (result, reply) =>
        sessionsIn(result).every(({ cwd }) => isAbsolutePath(cwd)) ? PASS : failed(shownReply(reply)),
      ),
  },
  {
    ...listed,
    id: "ACP-DELETE-201",
    text: "session/delete of a session succeeds.",
    check: whenDeletable(succeeds("hello", "delete")),
  },
  {
    ...listed,
    id: "ACP-DELETE-202",
    text: "A deleted session is not listed any more.",
    check: whenDeletable(isGone),
  },
  {
    id: "ACP-DELETE-203",
    level: "advisory",
    text: "session/delete of a session that is not there succeeds too.",
    scenes: ["hello"],
    check: whenDeletable(succeeds("hello", "delete again")),
  },
  {
    ...listed,
    id: "ACP-CONFIG-201",
    text: "Every option of a new session is valid.",
    check: (evidence) =>
      onReply(evidence, ["hello", "new"], (reply) => {
        const options =
          reply.kind === "result" && isJsonObject(reply.result) ? reply.result["configOptions"] : [];
        const list: readonly unknown[] = Array.isArray(options) ? options : [];
        if (list.length === 0) return untested("session/new gave no configOptions");
        const problems = list.map((option) => evidence.schema.problem("SessionConfigOption", option));
        const at = problems.findIndex((problem) => problem !== undefined);
        return at === -1 ? PASS : failed(`${String(problems[at])}: ${JSON.stringify(list[at])}`);
      }),
  },
  {
    ...listed,
    id: "ACP-CONFIG-202",
    text: "session/set_config_option answers with all options, and with the new value.",
    check: completeAnswer,
  },
  {
    id: "ACP-CONFIG-203",
    level: "capability",
    text: "The options of a resumed session are valid.",
    scenes: ["resumed"],
    check: (evidence) =>
      onResult(evidence, ["resumed", "resume"], ({ configOptions }) => {
        const options = optionsIn(configOptions);
        return options.length > 0
          ? possibleValues(options)
          : untested("session/resume gave no configOptions");
      }),
  },
  {
    ...listed,
    id: "ACP-CONFIG-204",
    text: "The current value of every option is one that it can have.",
    check: (evidence) => onOptions(evidence, possibleValues),
  },
  {
    ...listed,
    id: "ACP-CONFIG-206",
    text: "An update of options has all of them.",
    check: completeUpdates,
  },
];
