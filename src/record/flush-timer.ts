/**
 * When buffered text is written. Records that share a timer write on the same beat: the ledger commits the text of many
 * sessions in one transaction. The more of them wait, the longer each waits, so that a busy server has time for all.
 */
const MIN_WAIT_MS = 250;
const MAX_WAIT_MS = 1_000;
const BEAT_MS = 10;

type Flush = () => void;

export class FlushTimer {
  /** When each is due. */
  readonly #waiting = new Map<Flush, number>();
  #beat: NodeJS.Timeout | undefined;

  /** Calls `flush` once, after a while. */
  schedule(flush: Flush): void {
    if (this.#waiting.has(flush)) return;
    const waitMs = Math.min(MIN_WAIT_MS + this.#waiting.size, MAX_WAIT_MS);
    this.#waiting.set(flush, performance.now() + waitMs);
    this.#beat ??= setInterval(this.#flushDue, BEAT_MS);
  }

  cancel(flush: Flush): void {
    this.#waiting.delete(flush);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  readonly #flushDue = (): void => {
    const now = performance.now();
    for (const [flush, dueAt] of this.#waiting) {
      if (dueAt > now) continue;
      this.cancel(flush);
      flush();
    }
  };
}
