/**
 * Decides when a server that died restarts: soon at first, then with growing delays, and at most five times in a
 * minute. The caller passes the time.
 */
const FIRST_DELAY_MS = 200;
const LAST_DELAY_MS = 30_000;
const MINUTE_MS = 60_000;
const MAX_IN_A_MINUTE = 5;

export class RestartPolicy {
  #delay = FIRST_DELAY_MS;
  #restarts: readonly number[] = [];

  /** Milliseconds to wait before the restart; undefined when the server has died too often. */
  nextDelay(now: number): number | undefined {
    const delay = this.#delay;
    const recent = this.#restarts.filter((at) => at > now + delay - MINUTE_MS);
    if (recent.length >= MAX_IN_A_MINUTE) return undefined;
    this.#restarts = [...recent, now + delay];
    this.#delay = Math.min(2 * delay, LAST_DELAY_MS);
    return delay;
  }

  /** The server was up for `duration` milliseconds: after a minute its earlier crashes no longer count. */
  wasUp(duration: number): void {
    if (duration >= MINUTE_MS) this.#delay = FIRST_DELAY_MS;
  }
}
