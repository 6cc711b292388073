/**
 * What becomes of a session's open calls when the process that had them is gone. Waiting calls still
 * wait and cleared ones go on; what had not been submitted is cancelled; what was running is unknown:
 * it may or may not have happened, and is never run again by itself.
 */
import type { SessionBook, SessionEvent } from "../call/index.js";

export function recoveryEvents(book: SessionBook, at: number): readonly SessionEvent[] {
  return book.openCalls().flatMap(({ toolCallId, state }): SessionEvent[] => {
    switch (state.status) {
      case "drafting":
      case "ready":
        return [
          { type: "call-cancelled", toolCallId, at, reason: "the process ended before it was checked." },
        ];
      case "running":
        return [{ type: "call-lost", toolCallId, at, reason: "the process ended while it was running." }];
      default:
        return [];
    }
  });
}
