/** The frames of a response, as its bytes come. Whoever stops reading closes the connection. */
import type { SseFrame, SseParser } from "./sse-parser.js";

export async function* readSse(
  body: ReadableStream<Uint8Array>,
  parser: SseParser,
): AsyncGenerator<SseFrame, void, undefined> {
  // The mark at the start is the parser's to pass over: taken away here, a second one would go as well.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
