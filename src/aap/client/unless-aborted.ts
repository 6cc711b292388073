/**
 * The promise, or what the signal is aborted with. Not left to `fetch`: Node's own forgets a signal once the request that
 * it was given with is garbage, and then a body that never ends is read for ever. The agents have one too; the client
 * stands alone, since it goes into browsers.
 */
export function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
  });
}
