/** The calls that run in this process, each with its own way to be stopped. */
import { linkAbort } from "./linked-abort.js";
import type { LinkedAbort } from "./linked-abort.js";

type Running = { readonly stop: LinkedAbort; readonly ended: Promise<void> };

/** The reason of a requested cancel. */
export class Cancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "AbortError";
  }
}

export class RunningCalls {
  readonly #running = new Map<string, Running>();
  #wake: (() => void) | undefined;
  #wakes = 0;

  has(toolCallId: string): boolean {
    return this.#running.has(toolCallId);
  }

  get size(): number {
    return this.#running.size;
  }

  /** How often something has happened: what was true at one count may no longer be at the next. */
  get wakes(): number {
    return this.#wakes;
  }

  /**
   * Runs the task, unless the call runs already. Rejects with what the task throws. The task's own way to be stopped
   * goes with the signal; the task may use it too.
   */
  start(toolCallId: string, signal: AbortSignal, task: (stop: LinkedAbort) => Promise<void>): Promise<void> {
    const known = this.#running.get(toolCallId);
    if (known) return known.ended;
    const { stop, unlink } = linkAbort(signal);
    const ended = task(stop).finally(() => {
      unlink();
      this.#running.delete(toolCallId);
      this.wake();
    });
    // A waiting caller gets the error; without one, the rejection must not be unhandled.
    ended.catch(() => undefined);
    this.#running.set(toolCallId, { stop, ended });
    return ended;
  }

  stopAll(reason: unknown): void {
    for (const { stop } of this.#running.values()) stop.stop(reason);
  }

  /** False when it does not run. */
  stop(toolCallId: string, reason: unknown): boolean {
    const running = this.#running.get(toolCallId);
    running?.stop.stop(reason);
    return running !== undefined;
  }

  /** Returns, or rejects with what its task throws, when it runs no more; at once when it does not run. */
  async ended(toolCallId: string): Promise<void> {
    await this.#running.get(toolCallId)?.ended;
  }

  /** Returns when a call has ended or `wake` was called since this count of `wakes`. */
  async somethingHappens(since: number): Promise<void> {
    if (this.#wakes !== since) return;
    await new Promise<void>((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        others?.();
        resolve();
      };
    });
  }

  wake(): void {
    this.#wakes += 1;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
