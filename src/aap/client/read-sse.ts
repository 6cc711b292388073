/**
 * The frames of a response, as its bytes come. A reader that stops closes the connection. A network can fail without a
 * sign: where the server sends comments as a heartbeat, a long silence counts as a cut.
 */
import { AapError } from "./aap-error.js";
import type { SseFrame, SseParser } from "./sse-parser.js";
import { unlessAborted } from "./unless-aborted.js";

/** Milliseconds: four times the heartbeat of our server. */
export const SILENCE_TIMEOUT_MS = 60_000;

export type ReadOptions = {
  readonly silence?: number;
  /** The server is known to send a heartbeat: silence counts from the start, not only after the first comment. */
  readonly isPinged?: boolean;
  /** Throws the reason of an abort. */
  readonly signal?: AbortSignal | undefined;
};

export async function* readSse(
  body: ReadableStream<Uint8Array>,
  parser: SseParser,
  { silence = SILENCE_TIMEOUT_MS, isPinged = false, signal }: ReadOptions = {},
): AsyncGenerator<SseFrame, void, undefined> {
  // The parser skips the byte order mark: removed here too, a second one would be lost.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (;;) {
      const read = unlessAborted(reader.read(), signal);
      const { value, done } = await (isPinged || parser.hasComments ? within(silence, read) : read);
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
    const message = `Nothing has come for ${milliseconds} ms, not even a heartbeat.`;
    timer = setTimeout(() => reject(new AapError("STREAM_CUT", message)), milliseconds);
  });
  try {
    return await Promise.race([value, silence]);
  } finally {
    clearTimeout(timer);
  }
}
