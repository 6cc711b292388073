/** v2: updates that patch by id, and words that anyone may add to. */
import { isJsonObject, isNone } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { isAbsolutePath } from "../call-rules.js";
import { callStory } from "../call-story.js";
import type { CallStep } from "../call-story.js";
import { conversations, onReply, onTurn } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement } from "../requirement.js";
import { NOTE } from "../scenes/first-words.js";
import { fromAgent, isResponse, requestsIn, shown, updatesIn } from "../transcript.js";
import type { Update } from "../transcript.js";

const MESSAGES = /^(?:user|agent)_(?:message|thought)(?:_chunk)?$/;
const KINDS = new Set([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);
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

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isBase64 = (value: unknown): boolean =>
  typeof value === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);

/** Judges each update of a kind, in order; there must be at least one. */
function each(
  evidence: Evidence,
  { what, isIt }: { readonly what: string; readonly isIt: (update: JsonObject) => boolean },
  trouble: (update: JsonObject, one: Update) => string | undefined,
): Finding {
  const updates = conversations(evidence, ["turn"])
    .flatMap(updatesIn)
    .filter(({ update }) => isIt(update));
  for (const one of updates) {
    const how = trouble(one.update, one);
    if (how !== undefined) return failed(`${how}: ${shown(one.line)}`);
  }
  if (updates.length > 0) return PASS;
  return untested(evidence.scenes.get("turn")?.stopped ?? `no ${what} was seen`);
}

const named =
  (...names: readonly string[]) =>
  ({ sessionUpdate }: JsonObject): boolean =>
    names.includes(String(sessionUpdate));

function steadyTerminals(evidence: Evidence): Finding {
  const folders = new Map<unknown, unknown>();
  return each(
    evidence,
    { what: "terminal_update", isIt: named("terminal_update") },
    ({ terminalId, cwd }) => {
      if (isNone(cwd)) return undefined;
      if (!isAbsolutePath(cwd)) return "cwd is not an absolute path";
      const before = folders.get(terminalId) ?? cwd;
      folders.set(terminalId, cwd);
      return before === cwd ? undefined : "cwd is another than before";
    },
  );
}

function titledCalls(evidence: Evidence): Finding {
  const names = new Map<unknown, unknown>();
  return each(
    evidence,
    { what: "tool_call_update", isIt: named("tool_call_update") },
    ({ toolCallId, title, name }) => {
      if (!names.has(toolCallId) && !isText(title)) return "the first update of a call has no title";
      const before = names.get(toolCallId) ?? name;
      names.set(toolCallId, before);
      return isNone(name) || before === name ? undefined : "the name of a call changed";
    },
  );
}

/** While the agent waits for us and nothing else, the state is requires_action, and running again afterwards. */
function stateWhileAsked(evidence: Evidence): Finding {
  return onTurn(evidence, ["turn", "prompt"], ({ reply: { lines }, end, sessionId }) => {
    const steps = callStory(lines.slice(0, end), evidence.version).filter(
      (step) => step.sessionId === sessionId,
    );
    const question = steps.find((step) => step.type === "asked");
    if (!question)
      return untested("the agent asked for no permission; give it a --prompt that makes it do so");
    const answer = steps.find((step) => step.type === "answered" && step.requestId === question.requestId);
    if (!answer) return untested("the question was not answered");
    const isAtWork = (step: CallStep): boolean =>
      step.type === "reported" && step.line.at < answer.line.at && step.fields["status"] === "in_progress";
    if (steps.some(isAtWork)) return untested("another call was at work while the question was open");
    const states = (from: number, to?: number): readonly unknown[] =>
      updatesIn(lines.slice(from, to))
        .filter((one) => one.sessionId === sessionId && one.update["sessionUpdate"] === "state_update")
        .map(({ update }) => update["state"]);
    const before = states(0, answer.line.at).at(-1);
    if (before !== "requires_action")
      return failed(`the state is ${JSON.stringify(before)} while the question is open`);
    return states(answer.line.at, end).includes("running")
      ? PASS
      : failed("it is not running again after the answer");
  });
}

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

const session = { level: "capability", scenes: ["turn"] } as const;

export const PATCHES: readonly Requirement[] = [
  {
    ...session,
    id: "ACP-PATCH-201",
    text: "Every message and every chunk of one has a messageId that is not empty.",
    check: (evidence) =>
      each(
        evidence,
        { what: "message", isIt: ({ sessionUpdate }) => MESSAGES.test(String(sessionUpdate)) },
        ({ messageId }) => (isText(messageId) ? undefined : "no messageId"),
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-203",
    text: "Two prompts of a session have different messageIds.",
    check: (evidence) =>
      onReply(evidence, ["turn", "prompt"], (first) =>
        onReply(evidence, ["turn", "prompt again"], (second) => {
          if (first.kind !== "result" || second.kind !== "result")
            return untested("a prompt was not accepted");
          const ids = [first, second].map(({ result }) =>
            isJsonObject(result) ? result["messageId"] : undefined,
          );
          return ids[0] === ids[1] ? failed(`both have ${JSON.stringify(ids[0])}`) : PASS;
        }),
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-204",
    text: "Every report of a call has its toolCallId, and every chunk of one its content.",
    check: (evidence) =>
      each(
        evidence,
        { what: "tool call", isIt: named("tool_call_update", "tool_call_content_chunk") },
        ({ sessionUpdate, toolCallId, content }) => {
          if (!isText(toolCallId)) return "no toolCallId";
          return sessionUpdate === "tool_call_content_chunk" && !isJsonObject(content)
            ? "no content"
            : undefined;
        },
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-205",
    text: "Every plan has a planId that is not empty.",
    check: (evidence) =>
      each(evidence, { what: "plan_update", isIt: named("plan_update") }, ({ plan }) =>
        isJsonObject(plan) && isText(plan["planId"]) ? undefined : "no planId",
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-206",
    text: "The cwd of a terminal is absolute and stays.",
    check: steadyTerminals,
  },
  {
    ...session,
    id: "ACP-PATCH-207",
    text: "Output of terminals is base64, every chunk by itself.",
    check: (evidence) =>
      each(
        evidence,
        {
          what: "output of a terminal",
          isIt: (update) =>
            named("terminal_output_chunk")(update) ||
            (named("terminal_update")(update) && isJsonObject(update["output"])),
        },
        ({ data, output }) =>
          isBase64(isJsonObject(output) ? output["data"] : data) ? undefined : "not base64",
      ),
  },
  {
    id: "ACP-PATCH-208",
    level: "advisory",
    text: "The first report of a call has a title, and its name stays.",
    scenes: ["turn"],
    check: titledCalls,
  },
  {
    id: "ACP-PATCH-209",
    level: "advisory",
    text: "While a permission request is open the state is requires_action, and running again afterwards.",
    scenes: ["turn"],
    check: stateWhileAsked,
  },
  {
    ...session,
    id: "ACP-ENUM-201",
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
      const said = conversations(evidence).flatMap(fromAgent);
      const odd = said.find(({ message }) => oddMeta(message) !== undefined);
      if (odd) return failed(shown(odd));
      return said.length > 0 ? PASS : untested("the agent wrote nothing");
    },
  },
  {
    id: "ACP-EXT-201",
    level: "advisory",
    text: "A notification by a custom method, which begins with _, is ignored.",
    scenes: ["manners"],
    check: (evidence) =>
      onReply(evidence, ["manners", "still there"], (reply) => {
        const told = reply.lines.findIndex(
          ({ message }) => isJsonObject(message) && message["method"] === NOTE,
        );
        const odd = fromAgent(reply.lines.slice(told, reply.asked)).find(({ message }) =>
          isResponse(message),
        );
        if (odd) return failed(shown(odd));
        return reply.kind === "none" ? failed(reply.why) : PASS;
      }),
  },
];
