/** v2: words that anyone may add to, if they begin with _, and other extensions. */
import { TOOL_KINDS } from "../../../call/index.js";
import { isJsonObject, isNone } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { conversations, onReply, onTurn } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Requirement } from "../requirement.js";
import { NOTE } from "../scenes/handshake.js";
import { fromAgent, isResponse, requestsIn, shown } from "../transcript.js";
import { each, named } from "./each-update.js";

const KINDS: ReadonlySet<string> = new Set(TOOL_KINDS);
const STATUSES = new Set(["pending", "in_progress", "paused", "completed", "failed", "cancelled"]);
const PRIORITIES = new Set(["high", "medium", "low"]);
const ENTRY_STATUSES = new Set(["pending", "in_progress", "completed", "cancelled"]);
const UPDATES = new Set([
  "user_message_chunk",
  "user_message",
  "agent_message_chunk",
  "agent_message",
  "agent_thought_chunk",
  "agent_thought",
  "state_update",
  "tool_call_content_chunk",
  "tool_call_update",
  "terminal_update",
  "terminal_output_chunk",
  "plan_update",
  "available_commands_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
]);
const STATES = new Set(["running", "idle", "requires_action"]);
const CONTENTS = new Set(["content", "diff", "terminal"]);

const isOneOf = (words: ReadonlySet<string>, value: unknown): boolean =>
  isNone(value) || (typeof value === "string" && (words.has(value) || value.startsWith("_")));

function knownWords(update: JsonObject): string | undefined {
  if (update["sessionUpdate"] === "tool_call_update") {
    if (!isOneOf(KINDS, update["kind"])) return `the kind ${JSON.stringify(update["kind"])}`;
    if (!isOneOf(STATUSES, update["status"])) return `the status ${JSON.stringify(update["status"])}`;
  }
  const plan = isJsonObject(update["plan"]) ? update["plan"] : {};
  const entries = Array.isArray(plan["entries"]) ? plan["entries"].filter(isJsonObject) : [];
  const odd = entries.find(
    ({ priority, status }) => !isOneOf(PRIORITIES, priority) || !isOneOf(ENTRY_STATUSES, status),
  );
  return odd ? `the plan entry ${JSON.stringify(odd)}` : undefined;
}

function knownVariants(update: JsonObject): string | undefined {
  const { sessionUpdate, state, content } = update;
  if (!isOneOf(UPDATES, sessionUpdate)) return `the update ${JSON.stringify(sessionUpdate)}`;
  if (sessionUpdate === "state_update" && !isOneOf(STATES, state))
    return `the state ${JSON.stringify(state)}`;
  if (!String(sessionUpdate).startsWith("tool_call_")) return undefined;
  const items = (Array.isArray(content) ? content : [content]).filter(isJsonObject);
  const odd = items.find(({ type }) => !isOneOf(CONTENTS, type));
  return odd ? `the content ${JSON.stringify(odd["type"])}` : undefined;
}

/** Any `_meta` in a message that is neither an object nor null; what tools were given and gave is theirs. */
function oddMeta(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(oddMeta).find((odd) => odd !== undefined);
  if (!isJsonObject(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "rawInput" || key === "rawOutput") continue;
    if (key === "_meta" && !isNone(inner) && !isJsonObject(inner)) return inner;
    const odd = key === "_meta" ? undefined : oddMeta(inner);
    if (odd !== undefined) return odd;
  }
  return undefined;
}

export const OPEN_ENUMS: readonly Requirement[] = [
  {
    id: "ACP-ENUM-201",
    level: "capability",
    scenes: ["turn"],
    text: "Kinds and states of calls and plan entries are of the protocol, or begin with _.",
    check: (evidence) =>
      each(evidence, { what: "call or plan", isIt: named("tool_call_update", "plan_update") }, knownWords),
  },
  {
    id: "ACP-ENUM-202",
    level: "advisory",
    text: "Updates, states and contents are of the protocol, or begin with _.",
    scenes: ["turn"],
    check: (evidence) => each(evidence, { what: "update", isIt: () => true }, knownVariants),
  },
  {
    id: "ACP-ENUM-203",
    level: "advisory",
    text: "An outcome of a question that the agent does not know is survived.",
    scenes: ["unoffered"],
    check: (evidence) =>
      onTurn(evidence, ["unoffered", "unknown-outcome"], ({ reply, end }) => {
        const wasAsked = requestsIn(reply.lines.slice(reply.asked)).length > 0;
        if (!wasAsked)
          return untested("the agent asked for no permission; give it a --prompt that makes it do so");
        return end === undefined ? failed("the turn did not end") : PASS;
      }),
  },
  {
    id: "ACP-META-201",
    level: "advisory",
    text: "Every _meta is an object or null.",
    scenes: ["hello", "turn"],
    check: (evidence) => {
      const lines = conversations(evidence).flatMap(fromAgent);
      const odd = lines.find(({ message }) => oddMeta(message) !== undefined);
      if (odd) return failed(shown(odd));
      return lines.length > 0 ? PASS : untested("the agent wrote nothing");
    },
  },
  {
    id: "ACP-EXT-201",
    level: "advisory",
    text: "A notification by a custom method, which begins with _, is ignored.",
    scenes: ["manners"],
    check: (evidence) =>
      onReply(evidence, ["manners", "still there"], (reply) => {
        const notedAt = reply.lines.findIndex(
          ({ message }) => isJsonObject(message) && message["method"] === NOTE,
        );
        const odd = fromAgent(reply.lines.slice(notedAt, reply.asked)).find(({ message }) =>
          isResponse(message),
        );
        if (odd) return failed(shown(odd));
        return reply.kind === "none" ? failed(reply.why) : PASS;
      }),
  },
];
