/** v1: sessions that are listed, loaded, resumed, closed and deleted. */
import { isJsonObject } from "../../json.js";
import { onReply, onResult, whenAdvertised } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement, SceneName } from "../requirement.js";
import { shown, shownReply, updatesIn } from "../transcript.js";
import type { Reply } from "../transcript.js";

const MESSAGES = new Set<unknown>(["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]);
const HISTORY = new Set<unknown>([...MESSAGES, "tool_call", "tool_call_update", "plan"]);

const able =
  (capability: string, scene: SceneName, judge: (evidence: Evidence) => Finding) =>
  (evidence: Evidence): Finding =>
    whenAdvertised(evidence, [scene, capability], () => judge(evidence));

const succeeds =
  (scene: SceneName, step: string) =>
  (evidence: Evidence): Finding =>
    onResult(evidence, [scene, step], () => PASS);

/** The updates after the response to a step. */
function after(reply: Reply) {
  return reply.kind === "none" ? [] : updatesIn(reply.lines.slice(reply.at));
}

export const SESSIONS: readonly Requirement[] = [
  {
    id: "ACP-LOAD-001",
    level: "capability",
    text: "session/load opens a session again after a restart, with a valid result.",
    scenes: ["loaded"],
    check: able("loadSession", "loaded", succeeds("loaded", "load")),
  },
  {
    id: "ACP-LOAD-002",
    level: "capability",
    text: "All of the history comes before the answer to session/load.",
    scenes: ["loaded"],
    check: able("loadSession", "loaded", (evidence) =>
      onReply(evidence, ["loaded", "load"], (reply) => {
        if (reply.kind !== "result") return untested(`session/load failed: ${shownReply(reply)}`);
        const late = after(reply).find(({ update }) => HISTORY.has(update["sessionUpdate"]));
        return late ? failed(shown(late.line)) : PASS;
      }),
    ),
  },
  {
    id: "ACP-LOAD-003",
    level: "advisory",
    text: "The result of session/load is an object, not null.",
    scenes: ["loaded"],
    check: able("loadSession", "loaded", (evidence) =>
      onReply(evidence, ["loaded", "load"], (reply) => {
        if (reply.kind !== "result") return untested(`session/load failed: ${shownReply(reply)}`);
        return isJsonObject(reply.result) ? PASS : failed(shownReply(reply));
      }),
    ),
  },
  {
    id: "ACP-RESUME-001",
    level: "capability",
    text: "session/resume opens a session again after a restart, with a valid result.",
    scenes: ["resumed"],
    check: able("sessionCapabilities.resume", "resumed", succeeds("resumed", "resume")),
  },
  {
    id: "ACP-RESUME-002",
    level: "capability",
    text: "session/resume does not play the history again.",
    scenes: ["resumed"],
    check: able("sessionCapabilities.resume", "resumed", (evidence) =>
      onReply(evidence, ["resumed", "resume"], (reply) => {
        if (reply.kind !== "result") return untested(`session/resume failed: ${shownReply(reply)}`);
        const updates = updatesIn(reply.lines.slice(reply.asked, reply.at));
        const played = updates.find(({ update }) => MESSAGES.has(update["sessionUpdate"]));
        return played ? failed(shown(played.line)) : PASS;
      }),
    ),
  },
  {
    id: "ACP-LIST-001",
    level: "capability",
    text: "session/list succeeds, with a valid result.",
    scenes: ["hello"],
    check: able("sessionCapabilities.list", "hello", succeeds("hello", "list")),
  },
  {
    id: "ACP-LIST-002",
    level: "capability",
    text: "session/list of a folder without sessions is an empty list.",
    scenes: ["hello"],
    check: able("sessionCapabilities.list", "hello", (evidence) =>
      onResult(evidence, ["hello", "list nowhere"], ({ sessions }, reply) =>
        Array.isArray(sessions) && sessions.length === 0 ? PASS : failed(shownReply(reply)),
      ),
    ),
  },
  {
    id: "ACP-DELETE-001",
    level: "capability",
    text: "session/delete of a session succeeds.",
    scenes: ["hello"],
    check: able("sessionCapabilities.delete", "hello", succeeds("hello", "delete")),
  },
  {
    id: "ACP-DELETE-002",
    level: "advisory",
    text: "session/delete of a session that is not there succeeds too.",
    scenes: ["hello"],
    check: able("sessionCapabilities.delete", "hello", succeeds("hello", "delete again")),
  },
  {
    id: "ACP-CLOSE-001",
    level: "capability",
    text: "session/close of a session without a turn succeeds.",
    scenes: ["hello"],
    check: able("sessionCapabilities.close", "hello", succeeds("hello", "close")),
  },
];
