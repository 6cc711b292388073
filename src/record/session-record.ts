/**
 * A session that is open for writing: the one way in for its events.
 *
 * `append` stores events, all or none, before anyone sees them; `durable` makes them survive a power cut. A `writer` is
 * for events that may wait. Everything in the book is in the ledger, in the same order, but for the last text of an
 * answer, which is sent first and written soon after (chunk-buffer.ts).
 */
import {
  AMOUNT,
  checkOptions,
  FLAG,
  FUNCTION,
  LEDGER,
  LIST,
  OBJECT,
  required,
  TEXT,
} from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import { eventPages, SessionBook, savedSession, sessionFromSaved } from "../call/index.js";
import { foldStored } from "../call/ledger.js";
import type { AppendOptions, Ledger, RecordedEvent, SessionEvent, Lease } from "../call/index.js";
import { AppendBatcher, EventWriter } from "./append-batcher.js";
import { ClockJumps } from "./clock-jumps.js";
import { ChunkBuffer, FlushTimer } from "./chunk-buffer.js";
import { SessionLease } from "./session-lease.js";
import type { LeaseOptions } from "./session-lease.js";

export type RecordOptions = LeaseOptions & {
  /** Shared by records that write their text together; a timer of its own when left out. */
  readonly flushTimer?: FlushTimer | undefined;
  /** The log from its start, as far as the caller has read it: a short one is not read again. */
  readonly known?: readonly RecordedEvent[] | undefined;
};

const recordChecks = (): OptionChecks<RecordOptions> => ({
  owner: required(TEXT),
  leaseMs: AMOUNT,
  leaseWaitMs: AMOUNT,
  onLeaseWait: FUNCTION,
  isAnywhere: FLAG,
  flushTimer: OBJECT,
  known: LIST,
});

export class SessionRecord {
  readonly ledger: Ledger;
  readonly #lease: SessionLease;
  readonly #snapshots: Snapshots;
  readonly #text: ChunkBuffer;
  readonly #clockJumps = new ClockJumps();
  readonly #batcher = new AppendBatcher({
    store: (events, durable) => this.#store(events, durable),
    sendEarly: (event) => this.#sendEarly(event),
  });
  readonly #subscribers = new Set<(events: readonly SessionEvent[]) => void>();
  readonly #closed = new Set<() => Promise<void>>();
  #book: SessionBook;
  #writtenSeq = 0;

  private constructor(ledger: Ledger, sessionId: string, lease: SessionLease, timer: FlushTimer) {
    this.ledger = ledger;
    this.#lease = lease;
    this.#snapshots = new Snapshots(ledger, sessionId);
    this.#text = new ChunkBuffer(timer, () => void this.#storeText());
    this.#book = new SessionBook(sessionId);
  }

  /** Claims the session and folds its log. Throws LEASE_HELD while another owner has the lease. */
  static async open(ledger: Ledger, sessionId: string, options: RecordOptions): Promise<SessionRecord> {
    checkOptions(
      "SessionRecord.open",
      { ledger, sessionId },
      { ledger: required(LEDGER), sessionId: required(TEXT) },
    );
    checkOptions("SessionRecord.open", options, recordChecks());
    const { flushTimer = new FlushTimer(), known = [] } = options;
    const lease = await SessionLease.claim(ledger, sessionId, options);
    const record = new SessionRecord(ledger, sessionId, lease, flushTimer);
    try {
      await record.#load(known);
      return record;
    } catch (error) {
      await record.close();
      throw error;
    }
  }

  get book(): SessionBook {
    return this.#book;
  }

  get sessionId(): string {
    return this.book.sessionId;
  }

  /** Aborts when another owner has claimed the session: work that still runs here must stop. */
  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  /** A signal that aborts with this one and when the session is lost, until `letGo` is called. */
  whileHeld(signal: AbortSignal): { readonly signal: AbortSignal; readonly letGo: () => void } {
    return this.#lease.whileHeld(signal);
  }

  /** The number of the last event in the book. */
  get seq(): number {
    return this.#text.event ? this.#writtenSeq + 1 : this.#writtenSeq;
  }

  /** The number of the last event in the ledger. */
  get writtenSeq(): number {
    return this.#writtenSeq;
  }

  /** Text that was sent and is not in the ledger yet. */
  get unwritten(): RecordedEvent | undefined {
    const { event } = this.#text;
    return event && { seq: this.seq, event };
  }

  /** Appends the events, all or none, and folds them. Throws before anything is stored when one is illegal. */
  append(events: readonly SessionEvent[], options: { readonly durable?: boolean } = {}): Promise<void> {
    return this.#batcher.append(events, options);
  }

  /** Appends durably the events that `make` derives from the newest state; no other append comes in between. */
  async appendLatest(make: () => readonly SessionEvent[]): Promise<void> {
    await this.#batcher.exclusive(async () => {
      await this.#readNew();
      const events = make();
      if (events.length > 0) await this.#store(events, true);
    });
  }

  /** A source of events that may wait. */
  writer(): EventWriter {
    return new EventWriter(this.#batcher);
  }

  /** Folds what others have appended: answers need no lease. */
  async catchUp(): Promise<void> {
    await this.#batcher.exclusive(() => this.#readNew());
  }

  /**
   * Calls the subscriber with every event, in order, once it is stored and folded; with text in pieces, perhaps before it
   * is stored. Returns the function that unsubscribes.
   */
  onRecorded(subscriber: (events: readonly SessionEvent[]) => void): () => void {
    if (typeof subscriber !== "function")
      checkOptions("onRecorded", { subscriber }, { subscriber: required(FUNCTION) });
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Calls the function when the session is closed here. */
  onClose(end: () => Promise<void>): void {
    this.#closed.add(end);
  }

  async close(): Promise<void> {
    const closed = [...this.#closed];
    this.#closed.clear();
    await Promise.allSettled(closed.map((end) => end()));
    this.#lease.end();
    await this.#storeText();
    if (this.#snapshots.isDueAtClose(this.#writtenSeq)) await this.#saveSnapshot();
    await this.#lease.release();
  }

  async #load(known: readonly RecordedEvent[]): Promise<void> {
    const isShort = known.length > 0 && known.length < MIN_EVENTS;
    if (isShort) this.#take(known);
    const saved = isShort ? undefined : await this.#snapshots.open();
    if (saved) {
      this.#book = saved.book;
      this.#writtenSeq = saved.seq;
      try {
        return await this.#readOn();
      } catch {
        // The log is right, even if the snapshot differs.
        this.#book = new SessionBook(this.sessionId);
        this.#writtenSeq = 0;
      }
    }
    await this.#readOn();
  }

  /** Stores the buffered text and then the events, in one append, and publishes the events. */
  async #store(given: readonly SessionEvent[], durable: boolean): Promise<void> {
    const events = given.map((event) => this.#clockJumps.measured(event));
    const text = this.#text.event;
    const all = text ? [text, ...events] : events;
    if (all.length === 0) return;
    let checked: ReturnType<SessionBook["check"]>;
    try {
      checked = this.book.check(events);
    } catch (error) {
      // An event is illegal, too, when another owner has ended its call: then the lost lease is the error.
      await this.#lease.confirm();
      throw error;
    }
    let stored = all.length;
    const onStored = (count: number) => {
      stored = count;
    };
    // New text waits while the buffered text is stored alone: the ledger commits that at once.
    const atOnce = events.length === 0;
    const last = await this.#appendToLedger(all, { durable, atOnce, onStored });
    this.#text.clear();
    // Another process may have answered a question in between: the ledger knows the order.
    if (last - stored > this.#writtenSeq) {
      await this.#readOn(last - stored);
      this.book.applyAll(events);
    } else this.book.applyChecked(checked);
    this.#writtenSeq = last;
    this.#publish(events);
    if (this.#snapshots.isDue(last)) void this.#batcher.exclusive(() => this.#saveSnapshotIfDue());
  }

  async #appendToLedger(events: readonly SessionEvent[], options: AppendOptions): Promise<number> {
    try {
      return await this.ledger.append(this.#lease.newest, events, options);
    } catch (error) {
      this.#lease.noteError(error);
      throw error;
    }
  }

  /** Sends text before it is stored, where no other event can come before it: an answer may, while a question is open. */
  #sendEarly(event: SessionEvent): boolean {
    if (!this.#lease.isHeld || this.ledger.storesVerbatim !== true || this.book.hasOpenQuestions)
      return false;
    if (!this.#text.add(event)) return false;
    try {
      this.book.apply(event);
    } catch (error) {
      warnOf(error);
    }
    this.#publish([event]);
    return true;
  }

  /** Text that cannot be stored now stays buffered and is stored with the next append, whose caller gets the error. */
  async #storeText(): Promise<void> {
    await this.#batcher.exclusive(() => this.#store([], false)).catch(() => undefined);
  }

  /** Others append only answers: without an open question there is nothing to read. */
  async #readNew(): Promise<void> {
    if (this.book.hasOpenQuestions) await this.#readOn();
  }

  async #readOn(until = Infinity): Promise<void> {
    for await (const page of eventPages(this.ledger, this.sessionId, { after: this.#writtenSeq })) {
      const recorded = page.filter(({ seq }) => seq <= until);
      if (recorded.length === 0) return;
      this.#take(recorded);
    }
  }

  #take(recorded: readonly RecordedEvent[]): void {
    const events = recorded.map(({ event }) => event);
    foldStored(this.book, recorded);
    this.#writtenSeq = recorded.at(-1)?.seq ?? this.#writtenSeq;
    this.#publish(events);
  }

  #publish(events: readonly SessionEvent[]): void {
    if (events.length === 0) return;
    this.#text.noteNewest(events.at(-1));
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(events);
      } catch (error) {
        // A stored event stays stored, whatever becomes of a subscriber.
        warnOf(error);
      }
    }
  }

  /** Another task may have saved one while this one waited in the queue. */
  async #saveSnapshotIfDue(): Promise<void> {
    if (this.#snapshots.isDue(this.#writtenSeq)) await this.#saveSnapshot();
  }

  /** The book holds buffered text, a snapshot must not. */
  async #saveSnapshot(): Promise<void> {
    if (!this.#text.event) await this.#snapshots.save(this.#lease.newest, this.book, this.#writtenSeq);
  }
}

function warnOf(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/** Folding fewer events takes about as long as reading a snapshot. */
const MIN_EVENTS = 500;
/** In an open session, where saving one delays the calls: a snapshot holds all of it, so the next one is due after a fixed share more. */
const MIN_EVENTS_BETWEEN = 5_000;
const SHARE_BETWEEN = 1 / 3;
/** When the session is closed there is time to save one, and the next process has less to fold. */
const SHARE_AT_CLOSE = 1 / 10;

/**
 * The snapshots of a session, where the ledger has them: when one is saved, and how the book is opened from one.
 *
 * Invariant: a snapshot only saves time. The whole log is folded when there is none, when it cannot be read, and when
 * the rest of the log does not continue it. Failing to save a snapshot is no error.
 */
class Snapshots {
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
    // Set before the attempt: after a failure (a full disk) the next append must not try again.
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
