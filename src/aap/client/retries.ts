/** When something that failed is tried again: a little later each time, and not for ever. */
import type { AapError } from "./aap-error.js";

const MOST = 8;
/** Milliseconds. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 10_000;
/** Statuses that pass by themselves: too many requests, and what stands before a server that is away. */
const PASSING: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

export class Retries {
  #failures = 0;

  /** Whether nothing has failed since the last success. */
  get isFresh(): boolean {
    return this.#failures === 0;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Returns when it is time to try again; throws the error when it was tried often enough. */
  async pause(error: AapError, { retry, signal, most = MOST }: PauseOptions): Promise<void> {
    // Who is told to wait is being answered: the turn is under way, and only its end can be waited for.
    if (!isBusy(error)) this.#failures += 1;
    if (this.#failures > most) throw error;
    const own = FIRST_PAUSE * 2 ** Math.max(0, this.#failures - 1);
    const asked = error.retryAfter === undefined ? retry : error.retryAfter * 1000;
    await sleep(Math.min(asked ?? own, LONGEST_PAUSE), signal);
  }
}

export type PauseOptions = {
  /** Milliseconds that the server asked for in its stream. */
  readonly retry?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly most?: number;
};

export const isPassing = (error: AapError): boolean => PASSING.has(error.status) || isBusy(error);

const isBusy = ({ status, retryAfter }: AapError): boolean => status === 409 && retryAfter !== undefined;

/** Throws what the signal was aborted with. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
