/** One sample of every event that can happen to a call and of what surrounds it, and ways into every state, for the tests of the fold. */
import { isDeepStrictEqual } from "node:util";
import { applyEvent } from "./apply-event.js";
import { type ContentBlock, textContent, type ToolCallContent } from "./content.js";
import { IllegalEvent } from "./illegal-event.js";
import type { PlanEntry } from "./plan.js";
import type { Answer, Question } from "./question.js";
import type { MessageRole, SessionEvent } from "./session.js";
import { SessionBook, type SessionChanges } from "./session-book.js";
import type { CallFields, Decision, ToolCall, ToolCallEvent, ToolCallEventType } from "./tool-call.js";

const toolCallId = "call_1";

export const question: Question = {
  questionId: "q1",
  sessionId: "session-1",
  toolCallId,
  intentHash: "hash-1",
  title: "Edit src/app.ts",
  options: [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    { optionId: "always", name: "Allow always", kind: "allow_always" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
    { optionId: "never", name: "Reject always", kind: "reject_always" },
  ],
  askedAt: 40,
};

export const yes: Answer = {
  outcome: { type: "selected", optionId: "once" },
  intentHash: "hash-1",
  by: "person",
  who: "ann",
  at: 50,
};
export const no: Answer = { ...yes, outcome: { type: "selected", optionId: "no" }, reason: "not that file" };

export const annSaysYes: Decision = { by: "person", who: "ann", at: 50 };
export const annSaysNo: Decision = { by: "person", who: "ann", reason: "not that file", at: 50 };
export const ruleSaysNo: Decision = { by: "rule", rule: "3", reason: "no deletes", at: 70 };

/** Times grow along a call's usual way. */
export const event = {
  announced: {
    type: "call-announced",
    toolCallId,
    at: 10,
    name: "edit_file",
    title: "Edit src/app.ts",
    kind: "edit",
    kindSource: "declared",
  },
  delta: { type: "input-delta", toolCallId, at: 20, text: '{"path":"/a",' },
  ready: { type: "input-ready", toolCallId, at: 30, rawInput: { path: "/a" } },
  revised: { type: "call-revised", toolCallId, at: 35, fields: { title: "Edit app.ts" } },
  inputRevised: { type: "call-revised", toolCallId, at: 35, fields: { rawInput: { path: "/b" } } },
  appended: { type: "content-appended", toolCallId, at: 35, content: { type: "terminal", terminalId: "t1" } },
  printed: { type: "terminal-output", toolCallId, at: 65, terminalId: "t1", text: "ok\n" },
  exited: { type: "terminal-exited", toolCallId, at: 66, terminalId: "t1", exit: { exitCode: 0 } },
  asked: { type: "question-asked", toolCallId, at: 40, question },
  appAwaited: { type: "app-awaited", toolCallId, at: 45 },
  childAwaited: { type: "child-awaited", toolCallId, at: 55, childSessionId: "child-1" },
  childStepped: {
    type: "child-stepped",
    toolCallId,
    at: 58,
    text: "I look.",
    toolCallIds: ["call_2"],
    usage: { outputTokens: 3 },
  },
  cleared: { type: "call-cleared", toolCallId, at: 50, decision: annSaysYes },
  clearedByNobody: { type: "call-cleared", toolCallId, at: 50 },
  refused: { type: "call-refused", toolCallId, at: 50, decision: annSaysNo },
  started: { type: "run-started", toolCallId, at: 60 },
  processStarted: {
    type: "process-started",
    toolCallId,
    at: 62,
    process: {
      pid: 4711,
      startedAt: 62,
      machine: "boot-1 pid:[1]",
      startTick: 99,
      mark: "ab12",
      limitBytes: 2 ** 52,
    },
  },
  sandboxRefused: {
    type: "sandbox-refused",
    toolCallId,
    at: 64,
    refusals: [{ type: "network", text: "The sandbox has no network." }],
  },
  kept: {
    type: "file-kept",
    toolCallId,
    at: 65,
    change: { type: "written", path: "/a", before: { type: "file", blob: "b1", mode: 0o644 }, after: "h1" },
  },
  undone: { type: "call-undone", toolCallId, at: 99 },
  breached: {
    type: "call-breached",
    toolCallId,
    at: 91,
    breach: { isAfterRefusal: false, rule: "deny edit" },
  },
  wished: { type: "cancel-requested", toolCallId, at: 70 },
  done: { type: "call-done", toolCallId, at: 90, rawOutput: "ok" },
  failed: { type: "call-failed", toolCallId, at: 90, error: "File not found" },
  cancelled: { type: "call-cancelled", toolCallId, at: 90, reason: "the turn was cancelled." },
  lost: { type: "call-unknown", toolCallId, at: 90, reason: "the process ended." },
} as const satisfies Record<string, ToolCallEvent>;

export type EventName = keyof typeof event;
export const eventNames = Object.keys(event) as EventName[];

type EndEvent = Extract<
  ToolCallEvent,
  { type: "call-done" | "call-failed" | "call-cancelled" | "call-unknown" }
>;

// Does not compile when an event type has no sample above.
type WithoutSample = Exclude<ToolCallEventType, (typeof event)[EventName]["type"]>;
true satisfies [WithoutSample] extends [never] ? true : never;

/** An end that nobody reported. A refusal is always someone's. */
export function assumed<End extends EndEvent>(end: End): End & { readonly assumed: true } {
  return { ...end, assumed: true };
}

/** How a call gets into each of its states. */
const cleared = [event.ready, event.cleared];
const running = [...cleared, event.started];
export const way = {
  drafting: [],
  ready: [event.ready],
  "waiting for a question": [event.ready, event.asked],
  "waiting for the app": [event.ready, event.appAwaited],
  "waiting for a child": [...cleared, event.childAwaited],
  cleared,
  running,
  "running with a cancel wish": [...running, event.wished],
  done: [...running, event.done],
  failed: [...running, event.failed],
  refused: [event.ready, event.refused],
  cancelled: [event.cancelled],
  unknown: [...running, event.lost],
  "assumed done": [...running, assumed(event.done)],
  "assumed failed": [...running, assumed(event.failed)],
  "assumed cancelled": [assumed(event.cancelled)],
  "assumed unknown": [...running, assumed(event.lost)],
} as const satisfies Record<string, readonly ToolCallEvent[]>;

/** The call after these events. Everything is frozen, so that code that changes it in place fails. */
export function after(...events: readonly ToolCallEvent[]): ToolCall {
  return events.reduce<ToolCall>(
    (call, next) => deepFreeze(applyEvent(call, deepFreeze(next))),
    deepFreeze(applyEvent(undefined, event.announced)),
  );
}

/** The same events, happening to another call. */
export function onCall(otherId: string, ...events: readonly ToolCallEvent[]): ToolCallEvent[] {
  return events.map((each) =>
    each.type === "question-asked"
      ? {
          ...each,
          toolCallId: otherId,
          question: { ...each.question, questionId: `q-${otherId}`, toolCallId: otherId },
        }
      : { ...each, toolCallId: otherId },
  );
}

export const revise = (fields: CallFields) => ({ ...event.revised, fields });
export const show = (content: ToolCallContent) => ({ ...event.appended, content });
export const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => textContent(`${index + 1}`));
/** Whether the call takes the event. */
export function takes(call: ToolCall | undefined, next: ToolCallEvent): boolean {
  return isLegal(() => applyEvent(call, deepFreeze(next)));
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

export const isCallEvent = (each: SessionEvent): each is ToolCallEvent => "toolCallId" in each;

/** Session events beside the calls'. */
export const turn = {
  started: { type: "turn-started", at: 1, turnId: "t1" },
  parked: { type: "turn-parked", at: 2, turnId: "t1" },
  resumed: { type: "turn-resumed", at: 3, turnId: "t1" },
  stopped: { type: "turn-stopped", at: 4, turnId: "t1", stopReason: "end_turn" },
  restarted: { type: "turn-started", at: 5, turnId: "t2" },
} as const satisfies Record<string, SessionEvent>;

export const asked = [event.announced, event.ready, event.asked] as const;

export const answered = (answer: Answer, questionId = "q1"): SessionEvent => ({
  type: "question-answered",
  at: 50,
  questionId,
  answer,
});

export const withdrawn: SessionEvent = {
  type: "question-withdrawn",
  at: 50,
  questionId: "q1",
  reason: "cancelled",
};

export const text = (words: string): ContentBlock => ({ type: "text", text: words });

export const chunk = (block: ContentBlock, messageId = "m1", role: MessageRole = "agent"): SessionEvent => ({
  type: "message-chunk",
  at: 5,
  messageId,
  role,
  block,
});

export const planOf = (...contents: readonly string[]): readonly PlanEntry[] =>
  contents.map((content) => ({ content, priority: "low", status: "pending" }));

export const bookOf = (...events: readonly SessionEvent[]): SessionBook =>
  new SessionBook("session-1", events);

/**
 * The names of the events that a session with this past takes next. One that it does not take must
 * change nothing, whether it comes by itself or at the end of a batch.
 */
export function takenAfter(
  past: readonly SessionEvent[],
  next: Readonly<Record<string, SessionEvent>>,
): readonly string[] {
  const before = bookOf(...past).snapshot();
  const taken = Object.entries(next).filter(([, each]) => {
    const [one, batch] = [bookOf(...past), bookOf()];
    const isTaken = isLegal(() => one.apply(deepFreeze(each)));
    const isTakenInBatch = isLegal(() => batch.applyAll([...past, each]));
    if (!isTaken && !isDeepStrictEqual(one.snapshot(), before))
      throw new Error(`${each.type} is illegal, and changed something`);
    if (isTaken !== isTakenInBatch || !isDeepStrictEqual(one.snapshot(), batch.snapshot()))
      throw new Error(`${each.type} is something else in a batch`);
    return isTaken;
  });
  return taken.map(([name]) => name);
}

/** False when it throws an IllegalEvent. Any other error is a fault: a frozen call that someone tried to change, say. */
export function isLegal(apply: () => unknown): boolean {
  try {
    apply();
    return true;
  } catch (error) {
    if (error instanceof IllegalEvent) return false;
    throw error;
  }
}

/** A book, and the changes that it reports to a listener from now on. */
export function listenedBook(...past: readonly SessionEvent[]) {
  const book = bookOf(...past);
  const reported: SessionChanges[] = [];
  return { book, reported, stop: book.subscribe((changes) => void reported.push(changes)) };
}
