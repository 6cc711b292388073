/** Ends every open call that has not started, or only these, and takes back the questions that still wait for an answer. */
import type { SessionBook, SessionEvent, ToolCall } from "../call/index.js";
import { withdrawnQuestion } from "./assumed-ends.js";

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
