/** Followers that have read all there is, each under the two things that may wake it. */
export class Sleepers {
  readonly #wakes = new Map<string | AbortSignal, Set<() => void>>();
  // One listener per signal, however many followers share it: Node warns of a leak at the eleventh.
  readonly #onAbort = ({ target }: Event) => this.wake(target as AbortSignal);

  /** Until something happens to the session, the signal aborts or all are woken. */
  sleep(sessionId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#remove(sessionId, wake);
        if (this.#remove(signal, wake)) signal.removeEventListener("abort", this.#onAbort);
        resolve();
      };
      this.#add(sessionId, wake);
      this.#add(signal, wake);
      signal.addEventListener("abort", this.#onAbort);
    });
  }

  wake(key: string | AbortSignal): void {
    for (const wake of this.#wakes.get(key) ?? []) wake();
  }

  wakeAll(): void {
    for (const key of this.#wakes.keys()) this.wake(key);
  }

  get isEmpty(): boolean {
    return this.#wakes.size === 0;
  }

  #add(key: string | AbortSignal, wake: () => void): void {
    const wakes = this.#wakes.get(key);
    if (wakes) wakes.add(wake);
    else this.#wakes.set(key, new Set([wake]));
  }

  /** Whether it was the last one. */
  #remove(key: string | AbortSignal, wake: () => void): boolean {
    const wakes = this.#wakes.get(key);
    wakes?.delete(wake);
    return wakes?.size === 0 && this.#wakes.delete(key);
  }
}
