/**
 * Samples for the tests of the contract: events, questions and answers, and steps that many tests share.
 */
import { expect } from "vitest";
import type { Answer, AnswerReceipt, Lease, Ledger, Question, SessionEvent } from "../../call/index.js";
import { SessionBook } from "../../call/index.js";

export type Store = { time: number; readonly ledger: Ledger; readonly elsewhere: Ledger };

export type Given = {
  /** The store of the test that runs now. */
  readonly store: () => Store;
  /** Changes the stored bytes of a blob, as a bad disk would; undefined where nothing can. */
  readonly damageBlob: ((ledger: Ledger, hash: string) => Promise<void>) | undefined;
  /** For properties: each of their runs has a store of its own. */
  readonly inNewStore: (body: (store: Store) => Promise<void>) => Promise<void>;
  /** How many of these runs a property gets; a store that takes its time gets a share of them. */
  readonly runs: (count: number) => { readonly numRuns: number };
};

export const NOON = Date.UTC(2026, 0, 2, 12);
export const SESSION = "session-1";
export const QUICK = { durable: false };
export const DURABLE = { durable: true };

export function said(text: string): SessionEvent {
  return {
    type: "message-chunk",
    at: NOON,
    messageId: "message-1",
    role: "agent",
    block: { type: "text", text },
  };
}

/** A call up to where it may be asked about. */
export function callAt(toolCallId: string): readonly SessionEvent[] {
  const title = "Write src/app.ts";
  return [
    {
      type: "call-announced",
      toolCallId,
      at: NOON,
      name: "write_file",
      title,
      kind: "edit",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at: NOON, rawInput: { path: "/src/app.ts" } },
  ];
}

/** The same call from its clearing to its end. */
export function ran(toolCallId: string, rawOutput: unknown): readonly SessionEvent[] {
  return [
    { type: "call-cleared", toolCallId, at: NOON },
    { type: "run-started", toolCallId, at: NOON },
    { type: "call-done", toolCallId, at: NOON, rawOutput },
  ];
}

export const finished = (toolCallId: string, rawOutput: unknown) => [
  ...callAt(toolCallId),
  ...ran(toolCallId, rawOutput),
];

export function aQuestion(questionId: string, toolCallId: string, changes: Partial<Question> = {}): Question {
  return {
    questionId,
    sessionId: SESSION,
    toolCallId,
    intentHash: "intent-1",
    title: "Write src/app.ts",
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
      { optionId: "never", name: "Always reject", kind: "reject_always" },
    ],
    askedAt: NOON,
    ...changes,
  };
}

export const QUESTION = aQuestion("question-1", "call-1");
export const SECOND = aQuestion("question-2", "call-2");

export function asked(question: Question): SessionEvent {
  return { type: "question-asked", toolCallId: question.toolCallId, at: question.askedAt, question };
}

export function answered(questionId: string, answer: Answer): SessionEvent {
  return { type: "question-answered", at: NOON, questionId, answer };
}

export function withdrawn(questionId: string): SessionEvent {
  return { type: "question-withdrawn", at: NOON, questionId, reason: "the turn was cancelled" };
}

export function selected(optionId: string): Answer {
  return { outcome: { type: "selected", optionId }, intentHash: "intent-1", by: "person", at: NOON };
}

export const YES = selected("yes");
export const ALWAYS = selected("always");
export const NO = selected("no");
export const NEVER = selected("never");
export const REFUSED: Answer = {
  outcome: { type: "refused" },
  intentHash: "intent-1",
  by: "person",
  at: NOON,
};

export function cycle(): unknown {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  return self;
}

// --- What the tests do again and again ---

type ClaimOptions = { readonly sessionId?: string; readonly owner?: string; readonly milliseconds?: number };

export function claim(ledger: Ledger, options: ClaimOptions = {}): Promise<Lease> {
  const { sessionId = SESSION, owner = "ann", milliseconds: length = 30_000 } = options;
  return ledger.claim(sessionId, owner, { milliseconds: length });
}

/** Asks the questions, all of one session, and returns the lease that did. */
export async function ask(ledger: Ledger, ...questions: readonly Question[]): Promise<Lease> {
  const lease = await claim(ledger, { sessionId: questions[0]?.sessionId ?? SESSION });
  const events = questions.flatMap((question) => [...callAt(question.toolCallId), asked(question)]);
  await ledger.append(lease, events, QUICK);
  return lease;
}

export async function eventsOf(ledger: Ledger, sessionId = SESSION): Promise<readonly SessionEvent[]> {
  return (await ledger.read(sessionId)).map(({ event }) => event);
}

export async function textsOf(ledger: Ledger, sessionId = SESSION): Promise<readonly string[]> {
  return (await eventsOf(ledger, sessionId)).flatMap((event) =>
    event.type === "message-chunk" && event.block.type === "text" ? [event.block.text] : [],
  );
}

export async function answersIn(ledger: Ledger): Promise<readonly Answer[]> {
  return (await eventsOf(ledger)).flatMap((event) =>
    event.type === "question-answered" ? [event.answer] : [],
  );
}

export const bytesOf = (bytes: Uint8Array | undefined) => bytes && Array.from(bytes);

export type Failed = { readonly code: unknown };

/** The resolved value, or the code of the error. */
export async function outcomeOf<Value extends Lease | AnswerReceipt | number>(
  promise: Promise<Value>,
): Promise<Value | Failed> {
  try {
    return await promise;
  } catch (thrown) {
    return { code: codeIn(thrown) };
  }
}

export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return "none";
  } catch (thrown) {
    return codeIn(thrown);
  }
}

function codeIn(thrown: unknown): unknown {
  if (thrown instanceof Error && "code" in thrown) return thrown.code;
  throw thrown;
}

export async function expectLost(ledger: Ledger, lease: Lease): Promise<void> {
  const before = await ledger.read(lease.sessionId);
  expect(await codeOf(ledger.append(lease, [said("too late"), said("much too late")], DURABLE))).toBe(
    "LEASE_LOST",
  );
  expect(await codeOf(ledger.append(lease, [], QUICK))).toBe("LEASE_LOST");
  expect(await codeOf(ledger.renew(lease, { milliseconds: 30_000 }))).toBe("LEASE_LOST");
  expect(await ledger.read(lease.sessionId)).toEqual(before);
}

export const TURNED_AWAY = { code: "ILLEGAL_EVENT", written: [] };

export async function tryToAppend(
  ledger: Ledger,
  lease: Lease,
  events: readonly SessionEvent[],
): Promise<unknown> {
  const before = await ledger.read(lease.sessionId);
  const code = await codeOf(ledger.append(lease, events, DURABLE));
  return { code, written: await ledger.read(lease.sessionId, { after: before.length }) };
}

export async function expectReplays(ledger: Ledger, sessionId: string): Promise<void> {
  const events = await eventsOf(ledger, sessionId);
  expect(() => new SessionBook(sessionId, events)).not.toThrow();
}
