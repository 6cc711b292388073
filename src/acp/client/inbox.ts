/**
 * The queue of an agent's updates and of the tasks between them, processed in order. Updates that arrive together form
 * one batch; the next batch starts when this one is done.
 */
import { setImmediate } from "node:timers/promises";

type Item = { readonly update: unknown } | Task;
type Task = { readonly run: () => Promise<void> };

export class Inbox {
  readonly #take: (updates: readonly unknown[]) => Promise<void>;
  #waiting: Item[] = [];
  #isRunning = false;
  #idle: (() => void)[] = [];

  /** `take` must not throw. */
  constructor(take: (updates: readonly unknown[]) => Promise<void>) {
    this.#take = take;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(update: unknown): void {
    this.#waiting.push({ update });
    this.#start();
  }

  /** Queues the task behind all earlier messages and before all later ones. */
  do<Result>(task: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run: () => task().then(resolve, reject) });
      this.#start();
    });
  }

  /** Comes when nothing is waiting. */
  async empty(): Promise<void> {
    while (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // Lines of one chunk come in one go: all of them are here after it.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      await this.#deal(all);
      // Yields once, so that everything in the pipe by now joins the next batch.
      await setImmediate();
    }
    this.#isRunning = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #deal(all: readonly Item[]): Promise<void> {
    let updates: unknown[] = [];
    for (const item of all) {
      if ("update" in item) {
        updates.push(item.update);
        continue;
      }
      if (updates.length > 0) await this.#take(updates);
      updates = [];
      await item.run();
    }
    if (updates.length > 0) await this.#take(updates);
  }
}
