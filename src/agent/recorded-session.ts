/** What every session that is held open has, whoever runs its turns: its place in the record, and one holder at a time. */
import type { Ledger, RecordedEvent, SessionBook, SessionEvent } from "../call/index.js";
import type { SessionRecord } from "../record/index.js";

export abstract class RecordedSession {
  protected readonly record: SessionRecord;
  /** The session's clock. */
  readonly now: () => number;
  #held: Promise<unknown> = Promise.resolve();

  protected constructor(record: SessionRecord, now: () => number) {
    this.record = record;
    this.now = now;
  }

  get sessionId(): string {
    return this.record.sessionId;
  }

  /** The number of the last event that the book knows. */
  get seq(): number {
    return this.record.seq;
  }

  /** The number of the last event that is in the ledger. */
  get writtenSeq(): number {
    return this.record.writtenSeq;
  }

  /** Words that were told and are not in the ledger yet. */
  get unwritten(): RecordedEvent | undefined {
    return this.record.unwritten;
  }

  get book(): SessionBook {
    return this.record.book;
  }

  get ledger(): Ledger {
    return this.record.ledger;
  }

  /**
   * Hears of every event once it is recorded and folded, in order; of words in pieces, and perhaps a moment before.
   * Returns the function that ends this.
   */
  onRecorded(listener: (events: readonly SessionEvent[]) => void): () => void {
    return this.record.onRecorded(listener);
  }

  /** Turns that somebody holds, one after the other. */
  async afterOthers<Result>(turn: () => Promise<Result>): Promise<Result> {
    const done = this.#held.then(turn, turn);
    this.#held = done.catch(() => undefined);
    return done;
  }
}
