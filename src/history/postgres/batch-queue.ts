/**
 * Collects the items of one turn of the event loop, and those that come while a batch is running, into the next batch.
 * One batch runs at a time, in the order in which the items came.
 */
export class BatchQueue<Item> {
  readonly #run: (items: readonly Item[]) => Promise<void>;
  readonly #delayMs: number;
  #waiting: Item[] = [];
  #isScheduled = false;
  #isDraining = false;
  #running: Promise<void> | undefined;

  /** `run` never rejects: it settles each item by itself. `delayMs`: how long the first item waits for others. */
  constructor(run: (items: readonly Item[]) => Promise<void>, delayMs = 0) {
    this.#run = run;
    this.#delayMs = delayMs;
  }

  add(item: Item, { atOnce = false }: { readonly atOnce?: boolean | undefined } = {}): void {
    this.#waiting.push(item);
    if (this.#running) return;
    if (atOnce) this.#start();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      const start = () => {
        this.#isScheduled = false;
        if (!this.#running) this.#start();
      };
      if (this.#delayMs > 0) setTimeout(start, this.#delayMs);
      else setImmediate(start);
    }
  }

  /** Resolves when everything that waits now was run. */
  async drained(): Promise<void> {
    this.#isDraining = true;
    if (!this.#running && this.#waiting.length > 0) this.#start();
    await this.#running;
  }

  #start(): void {
    this.#running = this.#runAll();
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const items = this.#waiting;
      this.#waiting = [];
      await this.#run(items);
      // Items that were added meanwhile wait for others too.
      if (this.#delayMs > 0 && this.#waiting.length > 0 && !this.#isDraining)
        await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
    }
    // Runs in the same tick as the last check of the queue, so that no item can be added in between.
    this.#running = undefined;
  }
}
