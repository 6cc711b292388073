/**
 * The frames of a response, as its bytes come. Whoever stops reading closes the connection. A network can go away without
 * a word: where the server gives signs of life between its events, a long silence counts as a cut.
 */
import { AapError } from "./aap-error.js";
import type { SseFrame, SseParser } from "./sse-parser.js";
import { unlessAborted } from "./unless-aborted.js";

/** Milliseconds: four times what ours leaves between two of them. */
export const SILENCE = 60_000;

export type ReadOptions = {
  readonly silence?: number;
  /** Throws what it is aborted with. */
  readonly signal?: AbortSignal | undefined;
};

export async function* readSse(
  body: ReadableStream<Uint8Array>,
  parser: SseParser,
  { silence = SILENCE, signal }: ReadOptions = {},
): AsyncGenerator<SseFrame, void, undefined> {
  // The mark at the start is the parser's to pass over: taken away here, a second one would go as well.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (;;) {
      const read = unlessAborted(reader.read(), signal);
      const { value, done } = await (parser.hasComments ? within(silence, read) : read);
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function within<Value>(milliseconds: number, value: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    const words = `Nothing has come for ${milliseconds} ms, not even a sign of life.`;
    timer = setTimeout(() => reject(new AapError("STREAM_CUT", words)), milliseconds);
  });
  try {
    return await Promise.race([value, silence]);
  } finally {
    clearTimeout(timer);
  }
}
