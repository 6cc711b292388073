/** Ends every open call that has not started, or only these, and takes back the questions that still wait for an answer. */
import type { SessionBook, SessionEvent, ToolCall } from "../call/index.js";

export function cancelEvents(
  book: SessionBook,
  reason: string,
  at: number,
  calls: readonly ToolCall[] = book.openCalls(),
): readonly SessionEvent[] {
  return calls.flatMap(({ toolCallId, state }): SessionEvent[] => {
    if (state.status === "running") return [];
    const cancelled: SessionEvent = { type: "call-cancelled", toolCallId, at, reason };
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return [cancelled];
    const { questionId } = state.waitingFor;
    const isOpen = book.question(questionId)?.state.status === "open";
    return isOpen ? [{ type: "question-withdrawn", at, questionId, reason }, cancelled] : [cancelled];
  });
}
