/**
 * The state of a server, with a message when it has failed, and a way to wait until it is neither starting nor
 * restarting.
 */
export type ServerState =
  | { readonly status: "starting" }
  | { readonly status: "ready" }
  | { readonly status: "restarting"; readonly reason: string }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "not-approved"; readonly reason: string }
  | { readonly status: "closed" };

export class WatchedState {
  readonly #waiting = new Set<() => void>();
  #state: ServerState = { status: "starting" };

  get current(): ServerState {
    return this.#state;
  }

  /** A closed server stays closed. */
  set(state: ServerState): void {
    if (this.#state.status === "closed") return;
    this.#state = state;
    if (isComing(state)) return;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** The signal ends the wait and nothing else. */
  untilSettled(signal?: AbortSignal): Promise<void> {
    if (!isComing(this.#state) || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}

export const isComing = ({ status }: ServerState): boolean =>
  status === "starting" || status === "restarting";
