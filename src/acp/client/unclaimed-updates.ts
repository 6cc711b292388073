/** Updates that arrive before the response which names their session: buffered for it, up to a bound. */

const MAX_UPDATES = 1_000;

export class UnclaimedUpdates {
  readonly #kept = new Map<string, unknown[]>();
  #count = 0;

  keep(sessionId: string, update: unknown): void {
    if (this.#count >= MAX_UPDATES) return;
    this.#count += 1;
    const kept = this.#kept.get(sessionId);
    if (kept) kept.push(update);
    else this.#kept.set(sessionId, [update]);
  }

  claim(sessionId: string): readonly unknown[] {
    const kept = this.#kept.get(sessionId) ?? [];
    this.#kept.delete(sessionId);
    this.#count -= kept.length;
    return kept;
  }
}
