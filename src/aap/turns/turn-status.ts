/** The state of a session's last turn, as its log has it. */
import type { RecordedEvent, SessionBook, SessionEvent, Turn } from "../../call/index.js";
import { TURN_STATUS_AFTER } from "../../call/index.js";

type TurnStatus = "none" | Turn["state"]["status"];

/** Undefined where the event leaves the turn as it is. */
export const turnStatusAfter = (event: SessionEvent): Turn["state"]["status"] | undefined =>
  "toolCallId" in event ? undefined : TURN_STATUS_AFTER[event.type];

export function turnStatus(log: readonly RecordedEvent[]): TurnStatus {
  const last = log.findLast(({ event }) => turnStatusAfter(event) !== undefined);
  return (last && turnStatusAfter(last.event)) ?? "none";
}

/** Whether an open call waits for the app's own result, or for an answer to its question. */
export function isWaiting(book: SessionBook): boolean {
  return book.openCalls().some(({ state }) => {
    if (state.status !== "waiting") return false;
    if (state.waitingFor.type === "app") return true;
    return (
      state.waitingFor.type === "question" &&
      book.question(state.waitingFor.questionId)?.state.status === "open"
    );
  });
}
