/** Calls, diffs and sessions for the tests, with the worst an agent can write in every field that is text. */
import * as fc from "fast-check";
import type {
  ContentBlock,
  DiffContent,
  Message,
  PlanEntry,
  Question,
  Session,
  ToolCall,
  ToolCallContent,
  ToolCallState,
} from "../call/index.js";
import { boundText, NO_INPUT, TOOL_KINDS } from "../call/index.js";

/** Invisible characters that are neither control nor format characters; written out by hand, ends included. */
const UNSEEN = [
  [0xa0, 0xa0],
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffc],
  [0xe0000, 0xe0fff],
].map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join("-"));

/** Any control, bidirectional or invisible character, or half a one. The line feed alone may be there. */
export const INVISIBLE = new RegExp(String.raw`[^\P{Cc}\n]|[\p{Cf}\p{Cs}${UNSEEN.join("")}]`, "u");

const worst = fc.constantFrom(
  "\n",
  "\r\n",
  "\r",
  "\t",
  "\u0000",
  "\u0007",
  "\u0008",
  "\u001B[2J",
  "\u001B[1;31m",
  "\u001B]8;;http://x\u0007",
  "\u007F",
  "\u009B",
  "\u00A0",
  "\u00AD",
  "\u034F",
  "\u061C",
  "\u115F",
  "\u180E",
  "\u200B",
  "\u200D",
  "\u200E",
  "\u2028",
  "\u202E",
  "\u2066",
  "\u2069",
  "\u2800",
  "\u3164",
  "\uD800",
  "\uDC00",
  "\uFE0F",
  "\uFEFF",
  "\uFFFC",
  "\u{E0041}",
  "😀",
  "世",
  "e\u0301",
  " ",
  "  ",
  "a",
  "│ ",
  "✓ ✎ Edit",
);

const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.array(worst, { maxLength: 12 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 12 }),
  // Long enough to be wrapped, and to be cut in the middle of something.
  fc.tuple(worst, fc.integer({ min: 1, max: 900 })).map(([part, times]) => part.repeat(times)),
);

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const time = fc.integer({ min: 0, max: 1_000_000_000 });

/** The records name every field; an undefined one is dropped, because absent is what the types ask for. */
function sparse<Shape>(record: fc.Arbitrary<object>): fc.Arbitrary<Shape> {
  return record.map(
    (value) => Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Shape,
  );
}

export const hostileDiffs = sparse<DiffContent>(
  fc.record({
    type: fc.constant("diff"),
    operation: fc.constantFrom("add", "modify", "delete", "move", "copy"),
    path: hostileText,
    oldPath: optional(hostileText),
    oldText: optional(hostileText),
    newText: optional(hostileText),
    fileType: optional(fc.constantFrom("text", "binary", "directory", "symlink")),
    mimeType: optional(hostileText),
    patch: optional(hostileText),
  }),
);

const blocks = fc.oneof(
  fc.record({ type: fc.constant("text"), text: hostileText }),
  fc.record({
    type: fc.constant("image"),
    data: hostileText,
    mimeType: hostileText,
    uri: optional(hostileText),
  }),
  fc.record({ type: fc.constant("audio"), data: hostileText, mimeType: hostileText }),
  fc.record({
    type: fc.constant("resource_link"),
    name: hostileText,
    uri: hostileText,
    title: optional(hostileText),
    size: optional(time),
  }),
  fc.record({
    type: fc.constant("resource"),
    resource: fc.oneof(
      fc.record({ uri: hostileText, text: hostileText, mimeType: hostileText }),
      fc.record({ uri: hostileText, blob: hostileText }),
    ),
  }),
) as fc.Arbitrary<ContentBlock>;

const terminals = sparse<ToolCallContent>(
  fc.record({
    type: fc.constant("terminal"),
    terminalId: hostileText,
    output: optional(hostileText.map(boundText)),
    exit: optional(sparse(fc.record({ exitCode: optional(fc.integer()), signal: optional(hostileText) }))),
  }),
);

const contents: fc.Arbitrary<ToolCallContent> = fc.oneof(
  blocks.map((content) => ({ type: "content", content }) as const),
  hostileDiffs,
  terminals,
);

const states = fc
  .oneof(
    fc.constant({ status: "drafting", draft: NO_INPUT }),
    fc.record({
      status: fc.constant("waiting"),
      waitingFor: fc.oneof(
        fc.record({
          type: fc.constant("question"),
          questionId: fc.oneof(fc.constant("question-1"), hostileText),
        }),
        fc.constant({ type: "app" }),
        fc.record({ type: fc.constant("child"), childSessionId: hostileText }),
      ),
    }),
    fc.record({ status: fc.constantFrom("ready", "cleared", "refused") }),
    fc.record({ status: fc.constant("running"), cancelRequested: fc.boolean() }),
    fc.record({ status: fc.constant("done"), assumed: fc.boolean() }),
    fc.record({ status: fc.constant("failed"), error: hostileText, assumed: fc.boolean() }),
    fc.record({
      status: fc.constantFrom("cancelled", "unknown"),
      reason: hostileText,
      assumed: fc.boolean(),
    }),
  )
  .map((state) =>
    state.status === "refused" ? { ...state, assumed: false } : state,
  ) as fc.Arbitrary<ToolCallState>;

const decisions = fc.record({
  by: fc.constantFrom("rule", "person"),
  who: optional(hostileText),
  rule: optional(hostileText),
  reason: optional(hostileText),
  notStored: optional(hostileText),
  at: time,
});

export const hostileQuestions = sparse<Question>(
  fc.record({
    questionId: fc.oneof(fc.constant("question-1"), hostileText),
    sessionId: hostileText,
    toolCallId: hostileText,
    intentHash: hostileText,
    title: hostileText,
    options: fc.array(
      fc.record({
        optionId: hostileText,
        name: hostileText,
        kind: fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always"),
      }),
      { maxLength: 3 },
    ),
    askedAt: time,
    expiresAt: optional(time),
  }),
);

const ids = fc.constantFrom("call-1", "call-2", "call-3", "call-4");

/** Not every one could come about by events: what is shown must be harmless even so. */
export const hostileCalls = fc.record({
  toolCallId: ids,
  providerCallId: optional(hostileText),
  name: hostileText,
  title: hostileText,
  kind: fc.constantFrom(...TOOL_KINDS),
  kindSource: fc.constant("declared"),
  parentToolCallId: optional(ids),
  childSteps: fc.constant(undefined),
  rawInput: hostileText,
  rawOutput: hostileText,
  content: fc.array(contents, { maxLength: 3 }),
  locations: fc.array(sparse(fc.record({ path: hostileText, line: optional(time) })), { maxLength: 2 }),
  progress: optional(
    sparse(fc.record({ done: fc.nat(), total: optional(fc.nat()), message: optional(hostileText) })),
  ),
  decision: optional(sparse(decisions)),
  undoneHunks: optional(fc.array(fc.nat(), { maxLength: 3 })),
  notKept: optional(hostileText),
  refusals: optional(
    fc.array(fc.record({ type: fc.constantFrom("network", "file", "system"), text: hostileText }), {
      maxLength: 2,
    }),
  ),
  breach: optional(
    sparse(
      fc.record({
        isAfterRefusal: fc.boolean(),
        who: optional(hostileText),
        rule: optional(hostileText),
        reason: optional(hostileText),
      }),
    ),
  ),
  times: sparse(
    fc.record({
      announced: time,
      asked: optional(time),
      answered: optional(time),
      started: optional(time),
      ended: optional(time),
      waitedMs: optional(time),
      ranMs: optional(time),
    }),
  ),
  _meta: fc.constant(undefined),
  state: states,
}) as fc.Arbitrary<ToolCall>;

const messages = fc.record({
  messageId: hostileText,
  role: fc.constantFrom("user", "agent", "thought"),
  at: time,
  blocks: fc.array(blocks, { maxLength: 3 }),
}) as fc.Arbitrary<Message>;

const planEntries = fc.record({
  content: hostileText,
  priority: fc.constantFrom("high", "medium", "low"),
  status: fc.constantFrom("pending", "in_progress", "completed", "cancelled"),
}) as fc.Arbitrary<PlanEntry>;

const turns = fc.record({
  turnId: hostileText,
  startedAt: time,
  state: fc.oneof(
    fc.record({ status: fc.constantFrom("running", "parked") }),
    sparse(
      fc.record({
        status: fc.constant("stopped"),
        stopReason: fc.constantFrom("end_turn", "max_tokens", "error"),
        error: optional(hostileText),
        endedAt: time,
      }),
    ),
  ),
});

export const hostileSessions = fc.record({
  sessionId: hostileText,
  info: sparse(
    fc.record({ title: optional(hostileText), cwd: optional(hostileText), agent: optional(hostileText) }),
  ),
  modeId: optional(hostileText),
  plan: fc.array(planEntries, { maxLength: 2 }),
  steps: fc.constant([]),
  turns: fc.array(turns, { maxLength: 2 }),
  timeline: fc.array(
    fc.oneof(
      messages.map((message) => ({ type: "message", message })),
      hostileCalls.map((call) => ({ type: "call", call })),
    ),
    { maxLength: 4 },
  ),
  questions: fc.array(
    hostileQuestions.map((question) => ({ question, state: { status: "open" } })),
    { maxLength: 2 },
  ),
  repairs: fc.array(fc.record({ repair: hostileText, detail: hostileText }), { maxLength: 2 }),
  compaction: fc.option(fc.record({ throughStepId: hostileText, summary: hostileText }), { nil: undefined }),
  compactions: fc.array(
    fc.record({ throughStepId: hostileText, summary: hostileText, at: fc.integer({ min: 0, max: 100 }) }),
    { maxLength: 2 },
  ),
  windows: fc.constant([]),
}) as fc.Arbitrary<Session>;
