/**
 * A recorded session as far as it can be read. A session that goes on is folded strictly; a damaged one can still be
 * looked at: events that do not fit are left out and listed.
 */
import type { RecordedEvent, Session } from "../call/index.js";
import { SessionBook } from "../call/index.js";

export type Replayed = {
  readonly session: Session;
  /** The events that the fold refused. */
  readonly leftOut: readonly { readonly seq: number; readonly why: string }[];
};

export function replaySession(sessionId: string, events: readonly RecordedEvent[]): Replayed {
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
        // One by one: after an event that does not fit, the next one may.
        this.book.apply(event);
      } catch (thrown) {
        this.leftOut.push({ seq, why: thrown instanceof Error ? thrown.message : String(thrown) });
      }
    }
  }
}
