/** A rate limiter: one token bucket for each address, which holds the requests of two seconds. */
type Bucket = { left: number; at: number };

const BUCKETS_BEFORE_SWEEP = 1024;

export class Rate {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes one token, if there is one. `now` comes from a monotonic clock, in milliseconds. */
  take(address: string, now: number): boolean {
    const bucket = this.#buckets.get(address);
    const left = bucket ? this.#filled(bucket, now) : this.#capacity;
    if (left < 1) return false;
    if (!bucket && this.#buckets.size >= BUCKETS_BEFORE_SWEEP) this.#sweep(now);
    this.#buckets.set(address, { left: left - 1, at: now });
    return true;
  }

  get #capacity(): number {
    return 2 * this.#perSecond;
  }

  #filled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#capacity, left + ((now - at) / 1000) * this.#perSecond);
  }

  /** Removes full buckets: a missing bucket counts as full. */
  #sweep(now: number): void {
    for (const [address, bucket] of this.#buckets)
      if (this.#filled(bucket, now) >= this.#capacity) this.#buckets.delete(address);
  }
}
