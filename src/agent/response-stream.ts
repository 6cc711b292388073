/** A model's answer as it comes, ended by the signal whether or not the model listens to it. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

/** Hands over each part. Throws the signal's reason when that aborts; a part that comes in that moment is lost. */
export async function readParts(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  signal: AbortSignal,
  take: (part: LanguageModelV3StreamPart) => void,
): Promise<void> {
  const reader = stream.getReader();
  // A reader that cancels hears at once that the stream is over, whatever the model makes of it.
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  // Once for all parts, and so is what it says: there may be thousands, and a signal takes a while to ask.
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
    // A model that listens too may break the stream with an error of its own.
    throw aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", abort);
    cancel();
  }
}

/** The promise is listened to in any case: what it says after an abort is nobody's unhandled error. */
export function unlessAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).then(() => signal.removeEventListener("abort", stop), reject);
    if (signal.aborted) stop();
  });
}
