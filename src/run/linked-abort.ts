/**
 * Ways to be stopped that go with a signal. However many there are for one signal, it is listened to once: each listener
 * makes adding and removing the next one slower, and the calls and questions of one turn are many. The signal that a
 * tool is handed is made when the tool first looks at it: most never do, and there is one for each call.
 */

export class LinkedAbort {
  #reason: unknown;
  #isStopped = false;
  #isEnded = false;
  #controller: AbortController | undefined;
  /** Hears each reason, and the first one before anyone who listens to the signal. */
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

  /** The first reason stays, and the signal aborts once. */
  stop(reason: unknown): void {
    if (this.#isEnded) return;
    const isFirst = !this.#isStopped;
    if (isFirst) this.#reason = reason;
    this.#isStopped = true;
    this.onStop?.(reason);
    if (isFirst) this.#controller?.abort(reason);
  }

  /** What was to be stopped is over: whatever it left behind is not told to stop any more. */
  end(): void {
    this.#isEnded = true;
  }
}

type Followers = { readonly stops: Set<LinkedAbort>; readonly onAbort: () => void };

const followed = new WeakMap<AbortSignal, Followers>();

/** One that is stopped with the signal, until it is let go. */
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
