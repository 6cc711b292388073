/**
 * One source of events that need not wait for the disk: a model's answer, a running tool. Illegal events are left out;
 * the events handed to `append` are not.
 */
import type { SessionEvent } from "../call/index.js";
import type { AppendBatcher, Batch, Failure } from "./append-batcher.js";

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
