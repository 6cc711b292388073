/**
 * The promise, or a rejection with the signal's reason. `fetch` alone is not enough: Node's forgets a signal once its
 * request is garbage, and then reads a body that never ends for ever. agent/ has one too; the client is separate, since
 * it goes into browsers.
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
