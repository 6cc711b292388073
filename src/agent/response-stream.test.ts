import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { getEventListeners } from "node:events";
import type { UnderlyingSource } from "node:stream/web";
import { expect, test } from "vitest";
import { readParts } from "./streamed-response.js";

type Source = UnderlyingSource<LanguageModelV3StreamPart>;

const word: LanguageModelV3StreamPart = { type: "text-delta", id: "1", delta: "word" };
const enough = new Error("enough");

/** The parts that a reader got whose signal aborts after the first part. */
async function stoppedReading(source: (signal: AbortSignal) => Source) {
  const turn = new AbortController();
  const got: LanguageModelV3StreamPart[] = [];
  const stream = new ReadableStream<LanguageModelV3StreamPart>(source(turn.signal));
  const reading = readParts(stream, turn.signal, (part) => {
    got.push(part);
    setImmediate(() => turn.abort(enough));
  });
  await expect(reading).rejects.toBe(enough);
  return { got, turn };
}

const forever = (): Promise<void> => new Promise(() => undefined);

test.each<[string, (signal: AbortSignal) => Source]>([
  ["says nothing more", () => ({ start: (stream) => stream.enqueue(word) })],
  [
    "does not take a cancel, and is in the middle of its next part",
    () => ({ start: (stream) => stream.enqueue(word), pull: forever, cancel: forever }),
  ],
  [
    "listens too, and breaks with an error of its own",
    (signal) => ({
      start: (stream) => {
        stream.enqueue(word);
        signal.addEventListener("abort", () => stream.error(new Error("the request was aborted")));
      },
    }),
  ],
  [
    "listens too, and ends with one more part",
    (signal) => ({
      start: (stream) => {
        stream.enqueue(word);
        signal.addEventListener("abort", () => (stream.enqueue(word), stream.close()));
      },
    }),
  ],
])("ends a response with the signal's reason when the model %s", async (_what, source) => {
  expect((await stoppedReading(source)).got).toEqual([word]);
});

test("removes its signal listener after a response, and passes on the model's own error", async () => {
  const { turn } = await stoppedReading(() => ({ start: (stream) => stream.enqueue(word) }));
  const broken = new ReadableStream<LanguageModelV3StreamPart>({
    start: (stream) => stream.error(new Error("no such model")),
  });
  const next = new AbortController();
  await expect(readParts(broken, next.signal, () => undefined)).rejects.toThrow("no such model");
  for (const { signal } of [turn, next]) expect(getEventListeners(signal, "abort")).toEqual([]);
});
