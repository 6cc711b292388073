// Our server as an agent author would write it, durable on SQLite. The model is a stub that answers at once with all of
// its pieces, or with one each 20 ms. One address asks for everything here, so the limit of one address is lifted.
import { createAgent } from "toolgate";
import { serveAap } from "toolgate/aap";
import { openLedger } from "toolgate/history";
import { listening, paced, piece, PIECES, TOKEN } from "./work.mjs";

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

const model = {
  specificationVersion: "v3",
  provider: "bench",
  modelId: "bench",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("It only streams.")),
  doStream: async ({ prompt }) => ({
    stream: prompt.at(-1).content[0].text === "paced" ? inTime() : atOnce(),
  }),
};

const ledger = await openLedger(process.argv[2]);
const { url } = await serveAap(createAgent({ name: "bench", model, tools: [] }), {
  port: 0,
  token: TOKEN,
  ledger,
  limits: { requestsPerSecond: 1_000_000 },
});
listening(url);
