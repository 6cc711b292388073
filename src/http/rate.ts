/** How fast one address may ask: a bucket for each, which fills by the second and holds two seconds' worth. */
type Bucket = { left: number; at: number };

const BUCKETS_BEFORE_SWEEP = 1024;

export class Rate {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes one, if there is one. `now` is of a clock that never goes back, in milliseconds. */
  take(address: string, now: number): boolean {
    const bucket = this.#buckets.get(address);
    const left = bucket ? this.#filled(bucket, now) : this.#most;
    if (left < 1) return false;
    if (!bucket && this.#buckets.size >= BUCKETS_BEFORE_SWEEP) this.#sweep(now);
    this.#buckets.set(address, { left: left - 1, at: now });
    return true;
  }

  get #most(): number {
    return 2 * this.#perSecond;
  }

  #filled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#most, left + ((now - at) / 1000) * this.#perSecond);
  }

  /** A full bucket says no more than none. */
  #sweep(now: number): void {
    for (const [address, bucket] of this.#buckets)
      if (this.#filled(bucket, now) >= this.#most) this.#buckets.delete(address);
  }
}
