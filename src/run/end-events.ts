/**
 * Events that end open calls which do not end by themselves: cancelled ones, those of a process that died, and those
 * whose runner does not report an end. The last end is only assumed: a later report replaces it. A call that may have
 * started never ends as cancelled.
 */
import type { SessionBook, SessionEvent, ToolCall } from "../call/index.js";

/** Ends every open call that has not started, or only these, and withdraws the questions that wait for an answer. */
export function cancelEvents(
  book: SessionBook,
  reason: string,
  at: number,
  calls: readonly ToolCall[] = book.openCalls(),
): readonly SessionEvent[] {
  return calls.flatMap((call): SessionEvent[] => {
    const { toolCallId, state } = call;
    if (state.status === "running") return [];
    return [...withdrawnQuestion(book, call, reason, at), { type: "call-cancelled", toolCallId, at, reason }];
  });
}

export type EndReasons = {
  /** Why a call that waits is cancelled. */
  readonly waiting: string;
  /** Why the end of a call that may have started is unknown. */
  readonly started: string;
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
function withdrawnQuestion(
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
  { waiting, started }: EndReasons,
  at: number,
): readonly SessionEvent[] {
  const lost: SessionEvent = { type: "call-unknown", toolCallId, at, reason: started, assumed: true };
  if (state.status === "running") return [lost];
  // The runner knows that the call was allowed, so it may have started.
  if (state.status === "cleared") return [{ type: "run-started", toolCallId, at }, lost];
  return [{ type: "call-cancelled", toolCallId, at, reason: waiting, assumed: true }];
}
