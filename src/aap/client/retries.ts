/** Retries with a growing pause, up to a limit. */
import type { AapError } from "./aap-error.js";

const MAX_RETRIES = 8;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** Statuses of temporary failures: too many requests, and a proxy before a server that is down. */
const PASSING: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

export class Retries {
  #failures = 0;

  /** True while nothing has failed since the last success. */
  get isFresh(): boolean {
    return this.#failures === 0;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Resolves when it is time to try again; throws the error after the last retry. */
  async pause(error: AapError, { retry, signal, maxRetries = MAX_RETRIES }: PauseOptions): Promise<void> {
    // BUSY is no failure: the turn is under way, and the client waits for its end.
    if (!isBusy(error)) this.#failures += 1;
    if (this.#failures > maxRetries) throw error;
    const own = FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - 1);
    const asked = error.retryAfter === undefined ? retry : error.retryAfter * 1000;
    await sleep(Math.min(asked ?? own, MAX_PAUSE_MS), signal);
  }
}

export type PauseOptions = {
  /** Milliseconds that the server asked for in its stream. */
  readonly retry?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxRetries?: number;
};

export const isTransient = (error: AapError): boolean => PASSING.has(error.status) || isBusy(error);

const isBusy = ({ status, retryAfter }: AapError): boolean => status === 409 && retryAfter !== undefined;

/** Rejects with the reason that the signal was aborted with. */
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
