/** Made-up calls for the tests: legal ways of a call from its announcement on, with everything a call can carry. */
import * as fc from "fast-check";
import { applyEvent } from "./apply-event.js";
import type { ContentBlock, Location, Meta, ToolCallContent } from "./content.js";
import type { Question } from "./question.js";
import type { SessionEvent } from "./session.js";
import { SessionBook } from "./session-book.js";
import type { CallFields, Decision, Progress, ToolCall, ToolCallEvent } from "./tool-call.js";
import { TOOL_KINDS } from "./tool-kind.js";

export const SESSION_ID = "session-1";
export const CWD = "/home/user/project";

const word = fc.string({ maxLength: 12 });
const name = fc.string({ minLength: 1, maxLength: 12 });
const path = fc
  .array(fc.stringMatching(/^[a-z.]{1,8}$/), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join("/")}`);
/** Without -0, which JSON writes as 0. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const meta: fc.Arbitrary<Meta> = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,6}$/).filter((key) => key !== "toolgate"),
  json.filter((value) => value !== null),
  { minKeys: 1, maxKeys: 2, noNullPrototype: true },
);

/** Leaves out the keys whose value is undefined: absent is not the same as undefined on a wire. */
function sparse<Shape extends object>(record: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  return record.map(
    (value) => Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Shape,
  );
}

const annotations = sparse(
  fc.record({
    audience: optional(fc.subarray(["assistant", "user"] as const)),
    lastModified: optional(word),
    priority: optional(fc.constantFrom(0, 0.5, 1)),
  }),
);
const extras = { annotations: optional(annotations), _meta: optional(meta) };

// `sparse` keeps the keys of the record; the cast only forgets that absent ones were undefined before.
export const blocks = fc.oneof(
  sparse(fc.record({ type: fc.constant("text"), text: word, ...extras })),
  sparse(
    fc.record({ type: fc.constant("image"), data: word, mimeType: word, uri: optional(word), ...extras }),
  ),
  sparse(fc.record({ type: fc.constant("audio"), data: word, mimeType: word, ...extras })),
  sparse(
    fc.record({
      type: fc.constant("resource_link"),
      name,
      uri: word,
      title: optional(word),
      size: optional(fc.nat()),
      ...extras,
    }),
  ),
  sparse(
    fc.record({
      type: fc.constant("resource"),
      resource: fc.oneof(
        sparse(fc.record({ uri: word, text: word, mimeType: optional(word) })),
        sparse(fc.record({ uri: word, blob: word, _meta: optional(meta) })),
      ),
      ...extras,
    }),
  ),
) as fc.Arbitrary<ContentBlock>;

const text = fc.stringMatching(/^[a-c\n]{0,12}$/);
const hunk = sparse(
  fc.record({
    oldLine: fc.integer({ min: 1, max: 9999 }),
    newLine: fc.integer({ min: 1, max: 9999 }),
    column: optional(fc.integer({ min: 1, max: 9999 })),
    oldText: text,
    newText: text,
  }),
);
const diffs = fc.oneof(
  sparse(
    fc.record({
      type: fc.constant("diff"),
      operation: fc.constant("modify"),
      path,
      hunks: fc.array(hunk, { minLength: 1, maxLength: 3 }),
      _meta: optional(meta),
    }),
  ),
  sparse(
    fc.record({
      type: fc.constant("diff"),
      operation: fc.constant("add"),
      path,
      newText: text,
      _meta: optional(meta),
    }),
  ),
  sparse(
    fc.record({
      type: fc.constant("diff"),
      operation: fc.constant("modify"),
      path,
      oldText: text,
      newText: text,
    }),
  ),
  sparse(
    fc.record({
      type: fc.constant("diff"),
      operation: fc.constant("delete"),
      path,
      oldText: text,
      _meta: optional(meta),
    }),
  ),
  sparse(
    fc.record({
      type: fc.constant("diff"),
      operation: fc.constantFrom("move", "copy"),
      path,
      oldPath: path,
      oldText: optional(text),
      newText: optional(text),
    }),
  ),
  sparse(
    fc.record({
      type: fc.constant("diff"),
      operation: fc.constantFrom("add", "modify", "delete"),
      path,
      fileType: fc.constantFrom("binary", "directory", "symlink"),
      mimeType: optional(word),
    }),
  ),
);

/** Terminals start empty; their output comes by events. */
const terminals = sparse(
  fc.record({
    type: fc.constant("terminal"),
    terminalId: fc.constantFrom("t1", "t2", "t3"),
    _meta: optional(meta),
  }),
);

const contents = fc.oneof(
  sparse(fc.record({ type: fc.constant("content"), content: blocks, _meta: optional(meta) })),
  diffs,
  terminals,
) as fc.Arbitrary<ToolCallContent>;

const locations = sparse(
  fc.record({ path, line: optional(fc.integer({ min: 1, max: 9999 })), _meta: optional(meta) }),
) as fc.Arbitrary<Location>;

const progress = sparse(
  fc.record({
    done: fc.nat(100),
    total: optional(fc.nat(100)),
    message: optional(fc.stringMatching(/^[a-z]{1,8}$/)),
  }),
) as fc.Arbitrary<Progress>;

/** A content list shows each terminal once: the fold changes the first it finds. */
const contentLists = fc.uniqueArray(contents, {
  maxLength: 3,
  selector: (item) => (item.type === "terminal" ? item.terminalId : item),
});

const fields = sparse(
  fc.record({
    name: optional(name),
    title: optional(name),
    kind: optional(fc.constantFrom(...TOOL_KINDS)),
    rawInput: optional(json.filter((value) => value !== null)),
    rawOutput: optional(json.filter((value) => value !== null)),
    content: optional(contentLists),
    locations: optional(fc.array(locations, { maxLength: 2 })),
    progress: optional(progress),
    _meta: optional(meta),
  }),
) as fc.Arbitrary<CallFields>;

/** An event that may happen to a call; the generator skips it where it is not legal. */
type Happening = (call: ToolCall, at: number) => SessionEvent[];

const decision = (at: number, by: "rule" | "person", reason: string | undefined): Decision => ({
  by,
  ...(by === "rule" ? { rule: "rule 3" } : { who: "ann" }),
  ...(reason === undefined ? {} : { reason }),
  at,
});

const deciders = fc.constantFrom("rule", "person");

const questionOf = (call: ToolCall, at: number): Question => ({
  questionId: `q-${call.toolCallId}-${at}`,
  sessionId: SESSION_ID,
  toolCallId: call.toolCallId,
  intentHash: "hash",
  title: call.title,
  options: [
    { optionId: "yes", name: "Allow once", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
  askedAt: at,
});

const waitsForQuestion = (call: ToolCall): string | undefined =>
  call.state.status === "waiting" && call.state.waitingFor.type === "question"
    ? call.state.waitingFor.questionId
    : undefined;

function answered(call: ToolCall, at: number, by: "rule" | "person", isYes: boolean): SessionEvent[] {
  const questionId = waitsForQuestion(call);
  if (questionId === undefined) return [];
  const outcome = { type: "selected", optionId: isYes ? "yes" : "no" } as const;
  return [{ type: "question-answered", at, questionId, answer: { outcome, intentHash: "hash", by, at } }];
}

const withdrawn = (call: ToolCall, at: number): SessionEvent[] => {
  const questionId = waitsForQuestion(call);
  return questionId === undefined
    ? []
    : [{ type: "question-withdrawn", at, questionId, reason: "cancelled" }];
};

const happening =
  <Type extends ToolCallEvent["type"]>(
    type: Type,
    data: Omit<Extract<ToolCallEvent, { type: Type }>, "type" | "toolCallId" | "at">,
    before: (call: ToolCall, at: number) => SessionEvent[] = () => [],
  ): Happening =>
  (call, at) => [...before(call, at), { type, toolCallId: call.toolCallId, at, ...data } as SessionEvent];

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  fc.stringMatching(/^[{}",:ab1 ]{1,6}$/).map((piece) => happening("input-delta", { text: piece })),
  json.filter((value) => value !== null).map((rawInput) => happening("input-ready", { rawInput })),
  fields.map((changed) => happening("call-revised", { fields: changed })),
  contents.map((content) => happening("content-appended", { content })),
  fc
    .record({ terminalId: fc.constantFrom("t1", "t2"), text: word })
    .map((data) => happening("terminal-output", data)),
  fc
    .record({ terminalId: fc.constantFrom("t1", "t2"), exitCode: fc.integer({ min: -1, max: 3 }) })
    .map(({ terminalId, exitCode }) => happening("terminal-exited", { terminalId, exit: { exitCode } })),
  fc.constant<Happening>((call, at) => [
    { type: "question-asked", toolCallId: call.toolCallId, at, question: questionOf(call, at) },
  ]),
  fc.constant(happening("app-awaited", {})),
  fc.constant(happening("child-awaited", { childSessionId: "child-1" })),
  word.map((said) => happening("child-stepped", { text: said, toolCallIds: ["call_2"] })),
  fc.tuple(deciders, optional(word), durations("waitedMs")).map(
    ([by, reason, waited]): Happening =>
      (call, at) =>
        happening("call-cleared", { decision: decision(at, by, reason), ...waited }, () =>
          answered(call, at, by, true),
        )(call, at),
  ),
  fc.tuple(deciders, optional(word), durations("waitedMs")).map(
    ([by, reason, waited]): Happening =>
      (call, at) =>
        happening("call-refused", { decision: decision(at, by, reason), ...waited }, () =>
          answered(call, at, by, false),
        )(call, at),
  ),
  fc.constant(happening("run-started", {})),
  fc.constant(happening("cancel-requested", {})),
  fc
    .record({ isAfterRefusal: fc.boolean(), rule: name })
    .map((breach) => happening("call-breached", { breach })),
  fc
    .tuple(
      json.filter((value) => value !== null),
      durations("ranMs"),
    )
    .map(([rawOutput, ran]) => happening("call-done", { rawOutput, ...ran })),
  fc
    .tuple(word, fc.boolean())
    .map(([error, assumed]) => happening("call-failed", { error, assumed }, withdrawn)),
  fc
    .tuple(word, fc.boolean())
    .map(([reason, assumed]) => happening("call-cancelled", { reason, assumed }, withdrawn)),
  fc.tuple(word, fc.boolean()).map(([reason, assumed]) => happening("call-unknown", { reason, assumed })),
);

/** Measured only where the clock jumped. */
function durations(field: string): fc.Arbitrary<{ readonly [field: string]: number }> {
  return fc.option(fc.nat(99_999), { nil: undefined }).map((ms) => (ms === undefined ? {} : { [field]: ms }));
}

const announcements = fc.record({
  name: word,
  title: word,
  kind: fc.constantFrom(...TOOL_KINDS),
  kindSource: fc.constantFrom("declared", "inferred"),
  parentToolCallId: optional(fc.constantFrom("parent", "call_1")),
  providerCallId: optional(word),
});

/** Most calls get somewhere: without these a random walk would hardly ever run one. */
const USUAL_WAY: readonly ToolCallEvent["type"][] = ["input-ready", "call-cleared", "run-started"];

/**
 * The legal life of one call, as session events, from its announcement on; it may stop anywhere.
 * `from` keeps the calls of one session apart.
 */
export function lives(from = 1): fc.Arbitrary<readonly SessionEvent[]> {
  return fc
    .record({
      announcement: announcements,
      steps: fc.array(fc.tuple(happenings, fc.boolean()), { maxLength: 14 }),
      isUsual: fc.boolean(),
    })
    .map(({ announcement, steps, isUsual }) => legalLife(`call_${from}`, announcement, steps, isUsual));
}

type Announcement = { readonly [Key in "name" | "title"]: string } & object;

function legalLife(
  toolCallId: string,
  announcement: Announcement,
  steps: readonly (readonly [Happening, boolean])[],
  isUsual: boolean,
): readonly SessionEvent[] {
  let at = 1000;
  const given = Object.fromEntries(Object.entries(announcement).filter(([, value]) => value !== undefined));
  // The record above has exactly the fields of an announcement.
  const life = [{ type: "call-announced", toolCallId, at, ...given } as SessionEvent];
  const book = new SessionBook(SESSION_ID, life);
  const usual = isUsual ? [...USUAL_WAY] : [];
  const tryAll = (events: readonly SessionEvent[]): void => {
    const trial = new SessionBook(SESSION_ID, life);
    try {
      trial.applyAll(events);
    } catch {
      return;
    }
    if (isOddAboutTerminals(book.call(toolCallId), trial.call(toolCallId))) return;
    book.applyAll(events);
    life.push(...events);
  };
  for (const [step, goesOn] of steps) {
    const call = book.call(toolCallId);
    if (!call || ("assumed" in call.state && !call.state.assumed)) break;
    at += 1;
    tryAll(step(call, at));
    const next = goesOn ? usual.shift() : undefined;
    const now = book.call(toolCallId);
    if (next && now) tryAll(usualStep(next, now, (at += 1)));
  }
  return life;
}

/** No tool shows a terminal twice in a call or takes one away again, so the fold need not define the result. */
function isOddAboutTerminals(before: ToolCall | undefined, after: ToolCall | undefined): boolean {
  const ids = terminalIds(after);
  return (
    new Set(ids).size < ids.length || terminalIds(before).some((terminalId) => !ids.includes(terminalId))
  );
}

function terminalIds(call: ToolCall | undefined): string[] {
  return call?.content.flatMap((item) => (item.type === "terminal" ? item.terminalId : [])) ?? [];
}

function usualStep(type: ToolCallEvent["type"], call: ToolCall, at: number): SessionEvent[] {
  const { toolCallId } = call;
  if (type === "input-ready") return [{ type, toolCallId, at, rawInput: { path: "/a" } }];
  if (type === "call-cleared")
    return [
      ...answered(call, at, "person", true),
      { type, toolCallId, at, decision: decision(at, "person", undefined) },
    ];
  return [{ type: "run-started", toolCallId, at }];
}

/** A call somewhere on its way. */
export const calls: fc.Arbitrary<ToolCall> = lives().map((life) => callAfter(life));

export function callAfter(life: readonly SessionEvent[]): ToolCall {
  let call: ToolCall | undefined;
  for (const event of life) if ("toolCallId" in event) call = applyEvent(call, event);
  if (!call) throw new Error("a life starts with an announcement");
  return call;
}
