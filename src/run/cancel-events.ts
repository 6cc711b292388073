/** Ends every open call that has not started, or only this one, and takes back the questions that still wait for an answer. */
import type { SessionBook, SessionEvent } from "../call/index.js";

export function cancelEvents(
  book: SessionBook,
  reason: string,
  at: number,
  only?: string,
): readonly SessionEvent[] {
  return book.openCalls().flatMap(({ toolCallId, state }): SessionEvent[] => {
    if (state.status === "running" || (only !== undefined && only !== toolCallId)) return [];
    const cancelled: SessionEvent = { type: "call-cancelled", toolCallId, at, reason };
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return [cancelled];
    const { questionId } = state.waitingFor;
    const isOpen = book.question(questionId)?.state.status === "open";
    return isOpen ? [{ type: "question-withdrawn", at, questionId, reason }, cancelled] : [cancelled];
  });
}
