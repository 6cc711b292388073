/**
 * Decides when a server that died restarts: soon at first, then with growing delays, and at most five times in a
 * minute. The caller passes the time.
 */
const FIRST_DELAY = 200;
const LAST_DELAY = 30_000;
const MINUTE = 60_000;
const MAX_IN_A_MINUTE = 5;

export class RestartPolicy {
  #delay = FIRST_DELAY;
  #restarts: readonly number[] = [];

  /** Milliseconds to wait before the restart; undefined when the server has died too often. */
  nextDelay(now: number): number | undefined {
    const delay = this.#delay;
    const recent = this.#restarts.filter((at) => at > now + delay - MINUTE);
    if (recent.length >= MAX_IN_A_MINUTE) return undefined;
    this.#restarts = [...recent, now + delay];
    this.#delay = Math.min(2 * delay, LAST_DELAY);
    return delay;
  }

  /** The server was up for `duration` milliseconds: after a minute its earlier crashes no longer count. */
  wasUp(duration: number): void {
    if (duration >= MINUTE) this.#delay = FIRST_DELAY;
  }
}
