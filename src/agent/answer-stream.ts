/** A model's answer as it comes, ended by the signal whether or not the model listens to it. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

export async function* partsOf(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV3StreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
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
