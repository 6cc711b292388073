/** Signs that the network came, went or was lost in a sleep: the live stream is then tried again at once. */

const TICK_MS = 1_000;
/** A visible page that did not run for so long was asleep. */
const ASLEEP_MS = 10_000;

/** Calls `retry` at each sign; gives back a function that ends that. */
export function onNetworkSign(retry: () => void): () => void {
  let ranAt = Date.now();
  const look = (): void => {
    const isLate = Date.now() - ranAt > ASLEEP_MS;
    ranAt = Date.now();
    // Timers of a hidden page are slow; it looks when it is shown again.
    if (isLate && !document.hidden) retry();
  };
  const timer = setInterval(() => !document.hidden && look(), TICK_MS);
  document.addEventListener("visibilitychange", look);
  addEventListener("online", retry);
  addEventListener("offline", retry);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", retry);
    removeEventListener("offline", retry);
  };
}
