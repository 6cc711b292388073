/**
 * Collects the events of many sources into few appends, one append at a time.
 *
 * The first batch of a tick is written at once, unless it is best-effort: that one waits for the end of the tick, where text
 * cannot be sent before. Batches that arrive later in the tick, or while an append is running, share the next append. So a
 * single call never waits, two hundred calls that report together cost little more than one, and a response that comes
 * within a tick is stored together with its end. A tick is one turn of the event loop, and of a long turn at most
 * MAX_TICK_MS.
 */
import { IllegalEvent, joinedEvents } from "../call/index.js";
import { roomForText } from "../call/message-run.js";
import type { SessionEvent } from "../call/index.js";

const MAX_TICK_MS = 2;

type Failure = { readonly error: unknown };

type Batch = {
  /** The source may add to them while the batch is pending. */
  readonly events: SessionEvent[];
  /** Text that continues the last event. A fast model sends hundreds of chunks in a tick: each is only added here. */
  moreText?: string;
  /**
   * `durable` and `stored`: all of the events or none are in the ledger when `settle` is called; the durable ones survive a
   * power cut. `best-effort`: illegal events are left out, and text may be sent before it is stored.
   */
  readonly guarantee: "durable" | "stored" | "best-effort";
  /** Goes into a later append than this batch, so that subscribers see both states. */
  readonly after?: Batch | undefined;
  /** Called once, with the error when the ledger has not taken the events. */
  readonly settle: (failure?: Failure) => void;
};

type BatcherTarget = {
  /** Stores all of the events or none. */
  readonly store: (events: readonly SessionEvent[], durable: boolean) => Promise<void>;
  /** Sends an event that is stored later; false when it must be stored first. */
  readonly sendEarly: (event: SessionEvent) => boolean;
};

export class AppendBatcher {
  readonly #target: BatcherTarget;
  #pending = new Set<Batch>();
  #tickEnd: NodeJS.Immediate | undefined;
  #tickStartedAt = 0;
  #queue: Promise<unknown> = Promise.resolve();
  /** Tasks that run or wait in the queue. Text is not sent early past any of them. */
  #tasks = 0;

  constructor(target: BatcherTarget) {
    this.#target = target;
  }

  /** Resolves when the events are stored, all of them; rejects when none is. */
  append(
    events: readonly SessionEvent[],
    { durable = false, after }: { readonly durable?: boolean; readonly after?: Batch | undefined } = {},
  ): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (failure?: Failure) => (failure ? reject(failure.error) : resolve());
      this.add({ events: [...events], guarantee: durable ? "durable" : "stored", after, settle });
    });
  }

  add(batch: Batch): void {
    this.#pending.add(batch);
    const isInTick = this.#isInTick();
    // Otherwise the end of this tick flushes.
    if (batch.guarantee === "durable") return this.flush();
    if (isInTick) return;
    if (batch.guarantee !== "best-effort" || this.#tasks > 0) return this.flush();
    this.#startTick();
    this.#sendEarly();
  }

  /** Adds an event to a batch that is still pending; false when it no longer is. */
  extend(batch: Batch, event: SessionEvent): boolean {
    if (!this.#pending.has(batch)) return false;
    const events = wholeEvents(batch);
    const last = events.at(-1);
    const joined = last && joinedEvents(last, event);
    if (joined) events[events.length - 1] = joined;
    else events.push(event);
    return true;
  }

  /** Adds text to the last event of a pending batch; false when that is no text, or the batch is no longer pending. */
  extendText(batch: Batch, text: string): boolean {
    if (!this.#pending.has(batch)) return false;
    const { events, moreText = "" } = batch;
    const last = events.at(-1);
    if (!last || roomForText(last) < moreText.length + text.length) return false;
    batch.moreText = moreText + text;
    return true;
  }

  /** Writes all pending events, after the appends that are running. */
  flush(): void {
    if (this.#pending.size === 0) return;
    this.#startTick();
    if (!this.#sendEarly()) void this.#enqueue(() => this.#writePending());
  }

  /** Runs the task once everything that was added so far is written; no append runs beside it. */
  exclusive<Result>(task: () => Promise<Result>): Promise<Result> {
    this.flush();
    return this.#enqueue(task);
  }

  #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#tasks += 1;
    const done = this.#queue.then(task);
    this.#queue = done.then(this.#endTask, this.#endTask);
    return done;
  }

  readonly #endTask = (): void => {
    this.#tasks -= 1;
  };

  #isInTick(): boolean {
    return this.#tickEnd !== undefined && performance.now() - this.#tickStartedAt <= MAX_TICK_MS;
  }

  #startTick(): void {
    if (this.#isInTick()) return;
    this.#tickStartedAt = performance.now();
    this.#tickEnd ??= setImmediate(this.#endTick);
  }

  readonly #endTick = (): void => {
    this.#tickEnd = undefined;
    this.flush();
  };

  /** Sends the one pending event early, when it is alone and nothing is written before it. */
  #sendEarly(): boolean {
    if (this.#tasks > 0 || this.#pending.size > 1) return false;
    const [batch] = this.#pending;
    const event = batch && wholeEvents(batch)[0];
    if (!event || batch.guarantee !== "best-effort" || batch.events.length > 1) return false;
    // A subscriber may add events while this one is sent: they come after it.
    this.#pending.delete(batch);
    this.#tasks += 1;
    const isSent = this.#target.sendEarly(event);
    this.#tasks -= 1;
    if (isSent) batch.settle();
    else this.#pending.add(batch);
    return isSent;
  }

  async #writePending(): Promise<void> {
    const batches = this.#pending;
    this.#pending = new Set();
    const isLater = ({ after }: Batch) => after !== undefined && batches.has(after);
    const all = [...batches];
    const later = all.filter(isLater);
    const first = later.length === 0 ? all : all.filter((batch) => !isLater(batch));
    if (first.length > 0) await this.#write(first);
    if (later.length > 0) await this.#write(later);
  }

  async #write(batches: readonly Batch[]): Promise<void> {
    const events = batches.flatMap(wholeEvents);
    const durable = batches.some(({ guarantee }) => guarantee === "durable");
    const failure = await this.#store(events, durable);
    if (!(failure?.error instanceof IllegalEvent)) return batches.forEach(({ settle }) => settle(failure));
    // An event is illegal, and none was stored: store each batch by itself.
    for (const batch of batches) batch.settle(await this.#writeAlone(batch));
  }

  /** The events of the batch are whole, since they were written with others before. */
  async #writeAlone({ events, guarantee }: Batch): Promise<Failure | undefined> {
    if (guarantee !== "best-effort") return this.#store(events, guarantee === "durable");
    for (const event of events) {
      const failure = await this.#store([event], false);
      if (failure && !(failure.error instanceof IllegalEvent)) return failure;
    }
    return undefined;
  }

  async #store(events: readonly SessionEvent[], durable: boolean): Promise<Failure | undefined> {
    try {
      await this.#target.store(events, durable);
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}

/** The events of a batch, with the text that continues the last one. */
function wholeEvents(batch: Batch): SessionEvent[] {
  const { events, moreText = "" } = batch;
  const last = events.at(-1);
  if (moreText === "" || last?.type !== "message-chunk") return events;
  batch.moreText = "";
  const more = { ...last, block: { type: "text", text: moreText } } as const;
  events.splice(-1, 1, joinedEvents(last, more) ?? last);
  return events;
}

/**
 * One source of events that need not wait for the disk: a model's answer, a running tool. Illegal events are left out;
 * the events handed to `append` are not.
 */
export class EventWriter {
  readonly #batcher: AppendBatcher;
  /** The batch that was added last: more events join it while it is pending. */
  #batch: Batch | undefined;
  /** The first batch that the ledger did not take. */
  #failure: Failure | undefined;

  constructor(batcher: AppendBatcher) {
    this.#batcher = batcher;
  }

  add(event: SessionEvent): void {
    if (this.#batch && this.#batcher.extend(this.#batch, event)) return;
    this.#batch = { events: [event], guarantee: "best-effort", settle: this.#settle };
    this.#batcher.add(this.#batch);
  }

  /** Continues the text that was added last; false when that is no text, or was stored or sent already. */
  addText(text: string): boolean {
    return this.#batch !== undefined && this.#batcher.extendText(this.#batch, text);
  }

  /**
   * Stores these events, all or none, in an append after what was added before. An event that was added may be lost when
   * the disk is full; the end of a call must not be, as long as it can be written.
   */
  append(events: readonly SessionEvent[]): Promise<void> {
    return this.#batcher.append(events, { after: this.#batch });
  }

  /** Waits until everything added so far is stored or sent. Throws the first error since the last flush. */
  async flush(): Promise<void> {
    await this.#batcher.exclusive(async () => undefined);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  readonly #settle = (failure?: Failure): void => {
    this.#failure ??= failure;
  };
}
