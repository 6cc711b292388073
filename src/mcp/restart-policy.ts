/**
 * When a server that died is started again: soon at first, then later and later, and not more than five
 * times in a minute. Knows no clock: the time is given.
 */
const FIRST_DELAY = 200;
const LAST_DELAY = 30_000;
const MINUTE = 60_000;
const MAX_IN_A_MINUTE = 5;

export class RestartPolicy {
  #delay = FIRST_DELAY;
  #restarts: readonly number[] = [];

  /** How many milliseconds to wait before it is started again; undefined when it has died too often. */
  nextDelay(now: number): number | undefined {
    const delay = this.#delay;
    const recent = this.#restarts.filter((at) => at > now + delay - MINUTE);
    if (recent.length >= MAX_IN_A_MINUTE) return undefined;
    this.#restarts = [...recent, now + delay];
    this.#delay = Math.min(2 * delay, LAST_DELAY);
    return delay;
  }

  /** It was up for `duration` milliseconds: after a minute its past is forgotten. */
  wasUp(duration: number): void {
    if (duration >= MINUTE) this.#delay = FIRST_DELAY;
  }
}
