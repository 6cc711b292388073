// The model of the servers that ask one: a stub that answers at once with all of its pieces, or with one each 20 ms.
import { paced, piece, PIECES } from "./work.mjs";

const id = "text";
const START = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id },
];
const NONE = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const USAGE = {
  inputTokens: NONE,
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const END = [
  { type: "text-end", id },
  { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage: USAGE },
];
const delta = (text) => ({ type: "text-delta", id, delta: text });

const ALL = [...START, ...Array.from({ length: PIECES }, (_, at) => delta(piece(at))), ...END];
const atOnce = () =>
  new ReadableStream({
    start(controller) {
      for (const part of ALL) controller.enqueue(part);
      controller.close();
    },
  });

const inTime = () =>
  new ReadableStream({
    start(controller) {
      for (const part of START) controller.enqueue(part);
      const end = () => {
        for (const part of END) controller.enqueue(part);
        controller.close();
      };
      paced((text) => controller.enqueue(delta(text)), end);
    },
  });

export const model = {
  specificationVersion: "v3",
  provider: "bench",
  modelId: "bench",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("It only streams.")),
  doStream: async ({ prompt }) => ({
    stream: prompt.at(-1).content[0].text === "paced" ? inTime() : atOnce(),
  }),
};
