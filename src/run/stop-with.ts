/**
 * Controllers that abort with a signal. However many there are for one signal, it is listened to once: each listener
 * makes adding and removing the next one slower, and the calls and questions of one turn are many.
 */

type Followers = { readonly controllers: Set<AbortController>; readonly onAbort: () => void };

const followed = new WeakMap<AbortSignal, Followers>();

/** A controller that aborts with the signal, until it is let go. */
export function stopWith(signal: AbortSignal): {
  readonly stop: AbortController;
  readonly letGo: () => void;
} {
  const stop = new AbortController();
  if (signal.aborted) {
    stop.abort(signal.reason);
    return { stop, letGo: () => undefined };
  }
  const { controllers, onAbort } = followed.get(signal) ?? followersOf(signal);
  controllers.add(stop);
  const letGo = () => {
    controllers.delete(stop);
    if (controllers.size > 0) return;
    signal.removeEventListener("abort", onAbort);
    followed.delete(signal);
  };
  return { stop, letGo };
}

function followersOf(signal: AbortSignal): Followers {
  const controllers = new Set<AbortController>();
  const onAbort = () => {
    for (const controller of controllers) controller.abort(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const followers = { controllers, onAbort };
  followed.set(signal, followers);
  return followers;
}
