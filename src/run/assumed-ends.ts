/**
 * Ends of calls whose runner does not report them. Such an end is only assumed: a report that still comes replaces it. A
 * call that may have begun never ends as cancelled.
 */
import type { SessionBook, SessionEvent, ToolCall } from "../call/index.js";

export type EndReasons = {
  /** Why a call that waits is cancelled. */
  readonly waiting: string;
  /** Why the end of a call that may have begun is unknown. */
  readonly begun: string;
};

export function assumedEnds(book: SessionBook, reasons: EndReasons, at: number): readonly SessionEvent[] {
  return book
    .openCalls()
    .flatMap((call) => [...withdrawnQuestion(book, call, reasons.waiting, at), ...end(call, reasons, at)]);
}

/** Withdraws the question that a call waits for, and cancels the call; nothing when nobody waits for an answer. */
export function withdrawnCall(
  book: SessionBook,
  call: ToolCall,
  reason: string,
  at: number,
): readonly SessionEvent[] {
  const withdrawn = withdrawnQuestion(book, call, reason, at);
  if (withdrawn.length === 0) return [];
  return [...withdrawn, { type: "call-cancelled", toolCallId: call.toolCallId, at, reason, assumed: true }];
}

/** Withdraws the question that the call waits for, unless it is answered. */
export function withdrawnQuestion(
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

function end(
  { toolCallId, state }: ToolCall,
  { waiting, begun }: EndReasons,
  at: number,
): readonly SessionEvent[] {
  const lost: SessionEvent = { type: "call-lost", toolCallId, at, reason: begun, assumed: true };
  if (state.status === "running") return [lost];
  // Its runner knows that it may begin, so it may have begun.
  if (state.status === "cleared") return [{ type: "run-started", toolCallId, at }, lost];
  return [{ type: "call-cancelled", toolCallId, at, reason: waiting, assumed: true }];
}
