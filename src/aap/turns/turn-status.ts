/** How a session's last turn stands, as its log says. */
import { SessionBook } from "../../call/index.js";
import type { RecordedEvent } from "../../call/index.js";

export type TurnStatus = "none" | "running" | "parked" | "stopped";

const STATUSES: ReadonlyMap<string, TurnStatus> = new Map([
  ["turn-started", "running"],
  ["turn-resumed", "running"],
  ["turn-parked", "parked"],
  ["turn-stopped", "stopped"],
]);

export function turnStatus(log: readonly RecordedEvent[]): TurnStatus {
  const last = log.findLast(({ event }) => STATUSES.has(event.type));
  return STATUSES.get(last?.event.type ?? "") ?? "none";
}

/** Whether it waits for the app's own result, or for somebody's answer. */
export function stillWaits(log: readonly RecordedEvent[]): boolean {
  const book = new SessionBook(
    "",
    log.map(({ event }) => event),
  );
  return book.openCalls().some(({ state }) => {
    if (state.status !== "waiting") return false;
    if (state.waitingFor.type === "app") return true;
    return (
      state.waitingFor.type === "question" &&
      book.question(state.waitingFor.questionId)?.state.status === "open"
    );
  });
}
