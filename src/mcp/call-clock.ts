/**
 * Limits the time of a call: `idle` since its last progress, and `whole` in all. Both clocks pause while a person
 * answers a question.
 */

/** The longest time that a timer of Node can have. */
export const MAX_TIMER_MS = 2_147_483_647;

export class CallClock {
  readonly #controller = new AbortController();
  readonly #idleLimit: number;
  #left: number;
  #since = 0;
  #idle: NodeJS.Timeout | undefined;
  #whole: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ idle, whole }: { readonly idle: number; readonly whole: number }) {
    this.#idleLimit = Math.min(idle, MAX_TIMER_MS);
    this.#left = Math.min(whole, MAX_TIMER_MS);
    this.resume();
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Restarts the idle clock. */
  beat(): void {
    if (this.#idle === undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), this.#idleLimit);
  }

  pause(): void {
    if (this.#idle === undefined) return;
    this.#left -= performance.now() - this.#since;
    this.#clear();
  }

  resume(): void {
    if (this.#isOver) return;
    this.#clear();
    this.#since = performance.now();
    this.#idle = setTimeout(() => this.#end(), this.#idleLimit);
    this.#whole = setTimeout(() => this.#end(), Math.max(0, this.#left));
  }

  /** The call is over. */
  stop(): void {
    this.#isOver = true;
    this.#clear();
  }

  #clear(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#whole);
    this.#idle = undefined;
  }

  #end(): void {
    this.stop();
    this.#controller.abort(new Error("The call took too long."));
  }
}
