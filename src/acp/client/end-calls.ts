/**
 * How the calls of a foreign agent end when it does not say so itself. Such an end is only assumed: a report
 * that still comes takes its place. What may have begun is never said not to have happened.
 */
import type { SessionBook, SessionEvent, ToolCall } from "../../call/index.js";

export type Why = {
  /** Why what waits is cancelled. */
  readonly waiting: string;
  /** Why it is not known how what may have begun has ended. */
  readonly begun: string;
};

export const TURN_OVER: Why = {
  waiting: "the agent ended its turn without it.",
  begun: "the agent ended its turn and did not say how this ended.",
};
export const CANCELLED: Why = {
  waiting: "the turn was cancelled.",
  begun: "the turn was cancelled, and the agent did not say how this ended.",
};
export const AGENT_GONE: Why = {
  waiting: "the agent's process ended.",
  begun: "the agent's process ended, and how this ended was not said.",
};

export function endCalls(book: SessionBook, why: Why, at: number): readonly SessionEvent[] {
  return book
    .openCalls()
    .flatMap((call) => [...questionTakenBack(book, call, why.waiting, at), ...ended(call, why, at)]);
}

/** The question that the call waits for, if nobody has answered it. */
export function questionTakenBack(
  book: SessionBook,
  { state }: ToolCall,
  reason: string,
  at: number,
): readonly SessionEvent[] {
  if (state.status !== "waiting" || state.waitingFor.type !== "question") return [];
  const { questionId } = state.waitingFor;
  if (book.question(questionId)?.state.status !== "open") return [];
  return [{ type: "question-withdrawn", at, questionId, reason }];
}

function ended(
  { toolCallId, state }: ToolCall,
  { waiting, begun }: Why,
  at: number,
): readonly SessionEvent[] {
  const lost: SessionEvent = { type: "call-lost", toolCallId, at, reason: begun, assumed: true };
  if (state.status === "running") return [lost];
  // It was told that it may: it may have.
  if (state.status === "cleared") return [{ type: "run-started", toolCallId, at }, lost];
  return [{ type: "call-cancelled", toolCallId, at, reason: waiting, assumed: true }];
}
