/**
 * A rate limiter: one token bucket for each address, which holds the requests of two seconds.
 *
 * A bucket that rested for as long is full, and a missing bucket counts as full. So buckets are kept in two generations,
 * and the older one is dropped as a whole: a request costs the same however many addresses there are.
 */
type Bucket = { readonly left: number; readonly at: number };

/** A bucket holds the tokens of this time. */
const CAPACITY_MS = 2_000;

export class Rate {
  readonly #perSecond: number;
  #buckets = new Map<string, Bucket>();
  /** Buckets that were not used since `#generationAt`. */
  #older: ReadonlyMap<string, Bucket> = new Map();
  #generationAt = -Infinity;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes one token, if there is one. `now` comes from a monotonic clock, in milliseconds. */
  take(address: string, now: number): boolean {
    this.#dropRested(now);
    const bucket = this.#buckets.get(address) ?? this.#older.get(address);
    const left = bucket ? this.#filled(bucket, now) : this.#capacity;
    if (left < 1) return false;
    this.#buckets.set(address, { left: left - 1, at: now });
    return true;
  }

  get #capacity(): number {
    return (CAPACITY_MS / 1000) * this.#perSecond;
  }

  #filled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#capacity, left + ((now - at) / 1000) * this.#perSecond);
  }

  /** Buckets of the older generation rested for a whole generation. */
  #dropRested(now: number): void {
    if (now - this.#generationAt < CAPACITY_MS) return;
    this.#older = this.#buckets;
    this.#buckets = new Map();
    this.#generationAt = now;
  }
}
