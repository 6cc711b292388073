/**
 * A session held open for writing: its lease, its place in the ledger, and the book of what was
 * recorded. What is in the book is in the ledger, in the same order; but for an answer's last words, which
 * follow in a moment (said-words.ts).
 */
import { eventPages, IllegalEvent, LedgerError, SessionBook } from "../call/index.js";
import type { AppendOptions, Lease, Ledger, RecordedEvent, SessionEvent } from "../call/index.js";
import { GatheredEvents } from "./gathered-events.js";
import type { Part } from "./gathered-events.js";
import { SaidWords } from "./said-words.js";
import { SnapshotKeeper } from "./snapshot-keeper.js";
import { stopWith } from "./stop-with.js";

/** Long enough for a busy process to renew in time, short enough to take over a dead one's session soon. */
const LEASE_MILLISECONDS = 5_000;
const LOOK_AGAIN_MILLISECONDS = 100;

export type RecordOptions = {
  readonly owner: string;
  /** How long the lease lasts without a sign of life. */
  readonly milliseconds?: number;
  /** How long to wait for a session that someone else holds, who may have died a moment ago. */
  readonly patience?: number;
};

export class SessionRecord {
  readonly ledger: Ledger;
  #book: SessionBook;
  #lease: Lease;
  #writtenSeq = 0;
  #isClosed = false;
  /** What the signal says, which takes longer to ask. */
  #isLost = false;
  #renewal: NodeJS.Timeout;
  readonly #snapshots: SnapshotKeeper;
  readonly #lost = new AbortController();
  readonly #listeners = new Set<(events: readonly SessionEvent[]) => void>();
  /** One append at a time: parallel calls report in whatever order, the log has one. */
  #queue: Promise<unknown> = Promise.resolve();
  /** How many are under way or wait for their turn. */
  #tasks = 0;
  readonly #gathered = new GatheredEvents(() => this.#writeGathered());
  // What cannot be written now is tried again with what comes next, and whoever records that hears of it too.
  readonly #said = new SaidWords(
    () => void this.#inTurn(() => this.#append([], false)).catch(() => undefined),
  );

  private constructor(ledger: Ledger, lease: Lease, milliseconds: number) {
    this.ledger = ledger;
    this.#book = new SessionBook(lease.sessionId);
    this.#snapshots = new SnapshotKeeper(ledger, lease.sessionId);
    this.#lease = lease;
    this.#renewal = setInterval(() => void this.#renew(milliseconds), milliseconds / 3).unref();
  }

  /** Claims the session and reads what is recorded of it. Throws LEASE_HELD while someone else writes to it. */
  static async open(ledger: Ledger, sessionId: string, options: RecordOptions): Promise<SessionRecord> {
    const { owner, milliseconds = LEASE_MILLISECONDS, patience = 0 } = options;
    const lease = await claim(ledger, sessionId, owner, milliseconds, performance.now() + patience);
    const record = new SessionRecord(ledger, lease, milliseconds);
    try {
      await record.#load();
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

  /** Aborts when someone else has taken the session: what still runs here should stop. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * A signal that aborts with this one and when the session is lost, until it is let go. Not AbortSignal.any: a session
   * outlives its turns, and its own signal would keep a trace of each of them.
   */
  whileHeld(signal: AbortSignal): { readonly signal: AbortSignal; readonly letGo: () => void } {
    const { stop, letGo } = stopWith(signal);
    const { lost } = this;
    const onLost = () => stop.stop(lost.reason);
    lost.addEventListener("abort", onLost, { once: true });
    if (lost.aborted) onLost();
    return {
      signal: stop.signal,
      letGo: () => {
        letGo();
        lost.removeEventListener("abort", onLost);
      },
    };
  }

  /** The number of the last event that the book knows. */
  get seq(): number {
    return this.#said.event ? this.#writtenSeq + 1 : this.#writtenSeq;
  }

  /** The number of the last event that is in the ledger. */
  get writtenSeq(): number {
    return this.#writtenSeq;
  }

  /** Words that were told and are not in the ledger yet. */
  get unwritten(): RecordedEvent | undefined {
    const { event } = this.#said;
    return event && { seq: this.seq, event };
  }

  /** Appends the events, all or none, and folds them. Throws before anything is stored when one is illegal. */
  async record(events: readonly SessionEvent[], { durable = false } = {}): Promise<void> {
    if (events.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      const onEnd: Part["onEnd"] = (failure) => (failure ? reject(failure.error) : resolve());
      this.#gathered.add({ events: [...events], durable, isLoose: false, isTaken: false, onEnd });
    });
  }

  /**
   * Appends an event soon, unless it is illegal then. Until it is taken, more can be added to what comes back; nothing
   * does where it was told at once.
   */
  report(event: SessionEvent, onEnd: Part["onEnd"]): Part | undefined {
    if (this.#gathered.isIdle && this.#canSay() && this.#said.take(event)) {
      this.#gathered.noteWritten();
      this.#say(event);
      onEnd();
      return undefined;
    }
    const part = { events: [event], durable: false, isLoose: true, isTaken: false, onEnd };
    this.#gathered.add(part);
    return part;
  }

  /** Comes when all that was handed over by now is recorded or said, or could not be. */
  async settled(): Promise<void> {
    this.#gathered.writeNow();
    await this.#queue;
  }

  /** As `record`, durably, with events that are made from the newest state, and nothing is recorded in between. */
  async recordMade(make: () => readonly SessionEvent[]): Promise<void> {
    this.#gathered.writeNow();
    await this.#inTurn(async () => {
      await this.#readNew();
      const events = make();
      if (events.length > 0) await this.#append(events, true);
    });
  }

  /** Folds what others have appended: answers need no lease. */
  async catchUp(): Promise<void> {
    this.#gathered.writeNow();
    await this.#inTurn(() => this.#readNew());
  }

  /**
   * Hears of every event once it is recorded and folded, in order; of words in pieces, and perhaps a moment before.
   * Returns the function that ends this.
   */
  onRecorded(listener: (events: readonly SessionEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#renewal);
    this.#gathered.writeNow();
    await this.#inTurn(() => this.#append([], false)).catch(() => undefined);
    if (this.#snapshots.isDueAtClose(this.#writtenSeq)) await this.#keepSnapshotNow();
    try {
      await this.ledger.release(this.#lease);
    } catch (error) {
      // What the ledger itself says is for the caller. A disk that is full is not: the lease runs out by itself.
      if (error instanceof LedgerError) throw error;
    }
  }

  async #load(): Promise<void> {
    const kept = await this.#snapshots.open();
    if (kept) {
      this.#book = kept.book;
      this.#writtenSeq = kept.seq;
      try {
        return await this.#readOn();
      } catch {
        // The log is right, whatever the snapshot says.
        this.#book = new SessionBook(this.sessionId);
        this.#writtenSeq = 0;
      }
    }
    await this.#readOn();
  }

  #writeGathered(): void {
    const only = this.#gathered.only;
    const words = only?.isLoose && only.events.length === 1 ? only.events[0] : undefined;
    if (words && this.#canSay() && this.#said.take(words)) {
      const parts = this.#gathered.take();
      this.#say(words);
      endAll(parts);
    } else void this.#inTurn(() => this.#appendGathered());
  }

  /** Whether words can be told before they are written: nothing else can come before them. */
  #canSay(): boolean {
    if (this.#tasks > 0 || this.#isClosed || this.#isLost) return false;
    // While a question is open the next event may be someone's answer to it.
    return this.ledger.altersWords === false && !this.book.hasOpenQuestions;
  }

  async #appendGathered(): Promise<void> {
    const parts = this.#gathered.take();
    if (parts.length === 0) return;
    try {
      const [only] = parts;
      const events = parts.length === 1 && only ? only.events : parts.flatMap((part) => part.events);
      const durable = parts.some((part) => part.durable);
      await this.#append(events, durable);
    } catch (error) {
      if (!(error instanceof IllegalEvent)) return endAll(parts, { error });
      // One of them is wrong, and nothing was stored: each answers for itself.
      for (const part of parts) await this.#appendPart(part);
      return;
    }
    endAll(parts);
  }

  async #appendPart({ events, durable, isLoose, onEnd }: Part): Promise<void> {
    const wholes = isLoose ? events.map((event) => [event]) : [events];
    for (const whole of wholes) {
      try {
        await this.#append(whole, durable);
      } catch (error) {
        if (isLoose && error instanceof IllegalEvent) continue;
        return onEnd({ error });
      }
    }
    onEnd();
  }

  /** Tells words that are written later. Who hears of them may want something recorded: that waits until all have heard. */
  #say(words: SessionEvent): void {
    this.#tasks += 1;
    try {
      this.book.apply(words);
    } catch (error) {
      warnOf(error);
    }
    this.#tell([words]);
    this.#tasks -= 1;
  }

  async #append(events: readonly SessionEvent[], durable: boolean): Promise<void> {
    const said = this.#said.event;
    const all = said ? [said, ...events] : events;
    if (all.length === 0) return;
    const checked = this.book.check(events);
    let stored = all.length;
    const onStored = (count: number) => {
      stored = count;
    };
    // Words alone are written on the beat of all sessions, and what is said meanwhile waits for that.
    const atOnce = events.length === 0;
    const last = await this.#appendHeld(all, { durable, atOnce, onStored });
    this.#said.written();
    // Someone's answer may have come in between: the ledger knows the order.
    if (last - stored > this.#writtenSeq) {
      await this.#readOn(last - stored);
      this.book.applyAll(events);
    } else this.book.applyChecked(checked);
    this.#writtenSeq = last;
    this.#tell(events);
    if (this.#snapshots.isDue(last)) void this.#inTurn(() => this.#keepSnapshot());
  }

  async #appendHeld(events: readonly SessionEvent[], options: AppendOptions): Promise<number> {
    try {
      return await this.ledger.append(this.#lease, events, options);
    } catch (error) {
      this.#noteLost(error);
      throw error;
    }
  }

  /** Answers are all that others can append: where no question is open there is nothing to read. */
  async #readNew(): Promise<void> {
    if (this.book.hasOpenQuestions) await this.#readOn();
  }

  async #readOn(until = Infinity): Promise<void> {
    for await (const page of eventPages(this.ledger, this.sessionId, { after: this.#writtenSeq })) {
      const recorded = page.filter(({ seq }) => seq <= until);
      const last = recorded.at(-1);
      if (!last) return;
      const events = recorded.map(({ event }) => event);
      this.book.applyAll(events);
      this.#writtenSeq = last.seq;
      this.#tell(events);
    }
  }

  #tell(events: readonly SessionEvent[]): void {
    if (events.length === 0) return;
    this.#said.follow(events.at(-1));
    for (const listener of this.#listeners) {
      try {
        listener(events);
      } catch (error) {
        // What is recorded is recorded, whatever becomes of those who are told.
        warnOf(error);
      }
    }
  }

  /** Others may have asked for one as well while this waited for its turn. */
  async #keepSnapshot(): Promise<void> {
    if (this.#snapshots.isDue(this.#writtenSeq)) await this.#keepSnapshotNow();
  }

  /** Of what is in the ledger, and nothing else. */
  async #keepSnapshotNow(): Promise<void> {
    if (!this.#said.event) await this.#snapshots.keep(this.#lease, this.book, this.#writtenSeq);
  }

  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#tasks += 1;
    const done = this.#queue.then(task, task);
    this.#queue = done.then(this.#endTask, this.#endTask);
    return done;
  }

  readonly #endTask = (): void => {
    this.#tasks -= 1;
  };

  async #renew(milliseconds: number): Promise<void> {
    try {
      this.#lease = await this.ledger.renew(this.#lease, { milliseconds });
    } catch (error) {
      this.#noteLost(error);
    }
  }

  /** Only a lease that someone else has is lost: not one that was given back, and a busy disk is asked again. */
  #noteLost(error: unknown): void {
    if (this.#isClosed || !(error instanceof LedgerError) || error.code !== "LEASE_LOST") return;
    clearInterval(this.#renewal);
    this.#isLost = true;
    this.#lost.abort(error);
  }
}

function endAll(parts: readonly Part[], failure?: { readonly error: unknown }): void {
  for (const { onEnd } of parts) onEnd(failure);
}

function warnOf(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

async function claim(
  ledger: Ledger,
  sessionId: string,
  owner: string,
  milliseconds: number,
  /** By a clock that nobody sets. */
  until: number,
): Promise<Lease> {
  for (;;) {
    try {
      return await ledger.claim(sessionId, owner, { milliseconds });
    } catch (error) {
      const isHeld = error instanceof LedgerError && error.code === "LEASE_HELD";
      if (!isHeld || performance.now() >= until) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MILLISECONDS));
    }
  }
}
