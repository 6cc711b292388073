/**
 * The snapshots of a session, where the ledger has them: when one is saved, and how the book is opened from one.
 *
 * Invariant: a snapshot only saves time. The whole log is folded when there is none, when it cannot be read, and when
 * the rest of the log does not continue it. Failing to save a snapshot is no error.
 */
import { savedSession, SessionBook, sessionFromSaved } from "../call/index.js";
import type { Lease, Ledger } from "../call/index.js";

/** Folding fewer events takes about as long as reading a snapshot. */
const MIN_EVENTS = 500;
/** In an open session: a snapshot holds all of it, so the next one is due after a fixed share more. */
const MIN_EVENTS_BETWEEN = 2_000;
const SHARE_BETWEEN = 1 / 3;
/** When the session is closed there is time to save one, and the next process has less to fold. */
const SHARE_AT_CLOSE = 1 / 10;

export class Snapshots {
  readonly #ledger: Ledger;
  readonly #sessionId: string;
  #savedSeq = 0;

  constructor(ledger: Ledger, sessionId: string) {
    this.#ledger = ledger;
    this.#sessionId = sessionId;
  }

  /** The book as it was saved, and the number of its last event. */
  async open(): Promise<{ readonly book: SessionBook; readonly seq: number } | undefined> {
    try {
      const snapshot = await this.#ledger.snapshot?.(this.#sessionId);
      const session = snapshot && sessionFromSaved(snapshot.saved);
      if (!session) return undefined;
      this.#savedSeq = snapshot.seq;
      return { book: SessionBook.restored(session), seq: snapshot.seq };
    } catch {
      return undefined;
    }
  }

  isDue(seq: number): boolean {
    return this.#isDueAfter(Math.max(MIN_EVENTS_BETWEEN, seq * SHARE_BETWEEN), seq);
  }

  isDueAtClose(seq: number): boolean {
    return this.#isDueAfter(Math.max(MIN_EVENTS, seq * SHARE_AT_CLOSE), seq);
  }

  async save(lease: Lease, book: SessionBook, seq: number): Promise<void> {
    // Also when it fails: a full disk is not tried again with every append.
    this.#savedSeq = seq;
    try {
      await this.#ledger.keepSnapshot?.(lease, { seq, saved: savedSession(book.snapshot()) });
    } catch {
      // The log has everything.
    }
  }

  #isDueAfter(events: number, seq: number): boolean {
    return this.#ledger.keepSnapshot !== undefined && seq - this.#savedSeq >= events;
  }
}
