/**
 * Abort handles that are linked to a signal. All handles of one signal share one listener: each listener makes adding
 * and removing the next one slower, and one turn has many calls and questions. A handle creates its own signal on
 * first use, because most tools never read it.
 */

export class LinkedAbort {
  #reason: unknown;
  #isStopped = false;
  #isEnded = false;
  #controller: AbortController | undefined;
  /** Receives each reason, and the first one before the listeners of the signal. */
  onStop: ((reason: unknown) => void) | undefined;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isStopped) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Keeps the first reason; the signal aborts once. */
  stop(reason: unknown): void {
    if (this.#isEnded) return;
    const isFirst = !this.#isStopped;
    if (isFirst) this.#reason = reason;
    this.#isStopped = true;
    this.onStop?.(reason);
    if (isFirst) this.#controller?.abort(reason);
  }

  /** Ends the handle: a later stop has no effect on leftovers of a finished task. */
  end(): void {
    this.#isEnded = true;
  }
}

type Followers = { readonly stops: Set<LinkedAbort>; readonly onAbort: () => void };

const followed = new WeakMap<AbortSignal, Followers>();

/** Returns a handle that stops when the signal aborts, until `unlink` is called. */
export function linkAbort(signal: AbortSignal): { readonly stop: LinkedAbort; readonly unlink: () => void } {
  const stop = new LinkedAbort();
  if (signal.aborted) {
    stop.stop(signal.reason);
    return { stop, unlink: () => undefined };
  }
  const { stops, onAbort } = followed.get(signal) ?? followersOf(signal);
  stops.add(stop);
  const unlink = () => {
    stops.delete(stop);
    if (stops.size > 0) return;
    signal.removeEventListener("abort", onAbort);
    followed.delete(signal);
  };
  return { stop, unlink };
}

function followersOf(signal: AbortSignal): Followers {
  const stops = new Set<LinkedAbort>();
  const onAbort = () => {
    for (const stop of stops) stop.stop(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const followers = { stops, onAbort };
  followed.set(signal, followers);
  return followers;
}
