/** Reads a model's response as it streams. An abort ends the reading even when the model ignores the signal. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

/** Passes on each part. Throws the signal's reason on abort; a part that arrives at that moment is dropped. */
export async function readParts(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  signal: AbortSignal,
  take: (part: LanguageModelV3StreamPart) => void,
): Promise<void> {
  const reader = stream.getReader();
  // Cancelling the reader ends its pending read at once, whether or not the model reacts.
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  // One listener serves all parts, and a local flag its result: parts come in thousands, and `signal.aborted` is slow.
  let { aborted } = signal;
  const abort = () => {
    aborted = true;
    cancel();
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    if (aborted) throw signal.reason;
    for (;;) {
      const { done, value } = await reader.read();
      if (aborted) throw signal.reason;
      if (done) return;
      take(value);
    }
  } catch (error) {
    // A model that also follows the signal may break the stream with its own error.
    throw aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", abort);
    cancel();
  }
}

/** Handles the promise in any case, so that a rejection after the abort is not an unhandled one. */
export function unlessAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).then(() => signal.removeEventListener("abort", stop), reject);
    if (signal.aborted) stop();
  });
}
