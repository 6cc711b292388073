/**
 * How long a call may take: so long without a sign of life, and so long in all. While a person is asked,
 * both stand still.
 */
const LONGEST_TIMER = 2_147_483_647;

export class CallClock {
  readonly #controller = new AbortController();
  readonly #idleLimit: number;
  #left: number;
  #since = 0;
  #idle: NodeJS.Timeout | undefined;
  #whole: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({ idle, whole }: { readonly idle: number; readonly whole: number }) {
    this.#idleLimit = Math.min(idle, LONGEST_TIMER);
    this.#left = Math.min(whole, LONGEST_TIMER);
    this.resume();
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** A sign of life. */
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

  /** For good: the call is over. */
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
