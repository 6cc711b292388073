/**
 * Folds a recorded session for display, also a damaged one: illegal events are left out and listed. A session that is
 * resumed is folded strictly instead.
 */
import { checkOptions, LIST, required, TEXT } from "../call/check-options.js";
import type { RecordedEvent, Session } from "../call/index.js";
import { SessionBook } from "../call/index.js";

export type Replayed = {
  readonly session: Session;
  /** The events that the fold refused. */
  readonly leftOut: readonly { readonly seq: number; readonly why: string }[];
};

export function replaySession(sessionId: string, events: readonly RecordedEvent[]): Replayed {
  if (typeof sessionId !== "string" || !Array.isArray(events))
    checkOptions(
      "replaySession",
      { sessionId, events },
      { sessionId: required(TEXT), events: required(LIST) },
    );
  const replay = new Replay(sessionId);
  replay.add(events);
  return { session: replay.book.snapshot(), leftOut: replay.leftOut };
}

export class Replay {
  readonly book: SessionBook;
  readonly leftOut: { seq: number; why: string }[] = [];
  seq = 0;

  constructor(sessionId: string) {
    this.book = new SessionBook(sessionId);
  }

  add(events: readonly RecordedEvent[]): void {
    for (const { seq, event } of events) {
      this.seq = seq;
      try {
        // Events are applied one by one: after an illegal event, the next one may be legal.
        this.book.apply(event);
      } catch (thrown) {
        this.leftOut.push({ seq, why: thrown instanceof Error ? thrown.message : String(thrown) });
      }
    }
  }
}
