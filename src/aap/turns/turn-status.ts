/** The state of a session's last turn, as its log has it. */
import type { RecordedEvent, SessionBook, SessionEvent, SessionEventType } from "../../call/index.js";

export type TurnStatus = "none" | "running" | "parked" | "stopped";

/** The status of the turn after each event; undefined where the event leaves it as it was. */
const STATUS_AFTER: { readonly [Type in SessionEventType]: Exclude<TurnStatus, "none"> | undefined } = {
  "turn-started": "running",
  "turn-resumed": "running",
  "turn-parked": "parked",
  "turn-stopped": "stopped",
  "step-ended": undefined,
  "context-compacted": undefined,
  "window-learnt": undefined,
  "message-chunk": undefined,
  "question-asked": undefined,
  "question-answered": undefined,
  "question-withdrawn": undefined,
  "plan-updated": undefined,
  "mode-changed": undefined,
  "info-changed": undefined,
  "traffic-repaired": undefined,
  "call-announced": undefined,
  "input-delta": undefined,
  "input-ready": undefined,
  "call-revised": undefined,
  "content-appended": undefined,
  "terminal-output": undefined,
  "terminal-exited": undefined,
  "app-awaited": undefined,
  "child-awaited": undefined,
  "child-stepped": undefined,
  "call-cleared": undefined,
  "call-refused": undefined,
  "run-started": undefined,
  "cancel-requested": undefined,
  "process-started": undefined,
  "file-kept": undefined,
  "sandbox-refused": undefined,
  "call-undone": undefined,
  "call-breached": undefined,
  "call-done": undefined,
  "call-failed": undefined,
  "call-cancelled": undefined,
  "call-unknown": undefined,
};

export const turnStatusAfter = ({ type }: SessionEvent): TurnStatus | undefined => STATUS_AFTER[type];

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
