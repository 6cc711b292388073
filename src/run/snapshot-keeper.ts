/**
 * When a session's snapshot is kept, and how its book is opened from one, where the ledger has snapshots at all.
 *
 * What must stay true: a snapshot only saves time. Without one, or with one that cannot be read or that the rest
 * of the log does not follow on, the whole log is folded; one that cannot be kept is not missed.
 */
import { savedSession, SessionBook, sessionFromSaved } from "../call/index.js";
import type { Lease, Ledger } from "../call/index.js";

/** To fold fewer takes about as long as to read a snapshot. */
const FEWEST_EVENTS = 500;
/** While the session goes on: a snapshot is of all of it, so each comes after a fixed share more of it. */
const EVENTS_BETWEEN = 2_000;
const SHARE_BETWEEN = 1 / 3;
/** When it is closed there is time for one, and whoever opens it next has less to fold. */
const SHARE_AT_CLOSE = 1 / 10;

export class SnapshotKeeper {
  readonly #ledger: Ledger;
  readonly #sessionId: string;
  #keptSeq = 0;

  constructor(ledger: Ledger, sessionId: string) {
    this.#ledger = ledger;
    this.#sessionId = sessionId;
  }

  /** The book as it was kept, and after which event that was. */
  async open(): Promise<{ readonly book: SessionBook; readonly seq: number } | undefined> {
    try {
      const snapshot = await this.#ledger.snapshot?.(this.#sessionId);
      const session = snapshot && sessionFromSaved(snapshot.saved);
      if (!session) return undefined;
      this.#keptSeq = snapshot.seq;
      return { book: SessionBook.restored(session), seq: snapshot.seq };
    } catch {
      return undefined;
    }
  }

  isDue(seq: number): boolean {
    return this.#isWorthIt(seq, Math.max(EVENTS_BETWEEN, seq * SHARE_BETWEEN));
  }

  isDueAtClose(seq: number): boolean {
    return this.#isWorthIt(seq, Math.max(FEWEST_EVENTS, seq * SHARE_AT_CLOSE));
  }

  async keep(lease: Lease, book: SessionBook, seq: number): Promise<void> {
    // Also when it cannot be kept: a disk that is full now is not asked again with every append.
    this.#keptSeq = seq;
    try {
      await this.#ledger.keepSnapshot?.(lease, { seq, saved: savedSession(book.snapshot()) });
    } catch {
      // The log has all of it.
    }
  }

  #isWorthIt(seq: number, events: number): boolean {
    return this.#ledger.keepSnapshot !== undefined && seq - this.#keptSeq >= events;
  }
}
