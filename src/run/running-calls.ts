/** The calls that run in this process, each with its own way to be stopped. */

type Running = { readonly controller: AbortController; readonly ended: Promise<void> };

export class RunningCalls {
  readonly #running = new Map<string, Running>();
  #wake: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  has(toolCallId: string): boolean {
    return this.#running.has(toolCallId);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Runs the task unless the call runs already; what the task throws is told by `throwIfFailed`. */
  start(toolCallId: string, signal: AbortSignal, task: (signal: AbortSignal) => Promise<void>): void {
    if (this.#running.has(toolCallId)) return;
    const controller = new AbortController();
    const stop = () => controller.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const ended = task(controller.signal)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        signal.removeEventListener("abort", stop);
        this.#running.delete(toolCallId);
        this.wake();
      });
    this.#running.set(toolCallId, { controller, ended });
  }

  /** False when it does not run. */
  stop(toolCallId: string, reason: unknown): boolean {
    const running = this.#running.get(toolCallId);
    running?.controller.abort(reason);
    return running !== undefined;
  }

  async ended(toolCallId: string): Promise<void> {
    await this.#running.get(toolCallId)?.ended;
  }

  /** Returns when a call has ended, or when `wake` is called. */
  async somethingHappens(): Promise<void> {
    await new Promise<void>((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        others?.();
        resolve();
      };
    });
  }

  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** The record broke, not a tool: the gate's caller must hear of it, once. */
  throwIfFailed(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }
}
