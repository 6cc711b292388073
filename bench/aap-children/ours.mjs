// Our server as an agent author would write it, durable on SQLite. The model is a stub that answers at once with all of
// its pieces, or with one each 20 ms. One address asks for everything here, so the limit of one address is lifted.
import { createAgent } from "toolgate";
import { serveAap } from "toolgate/aap";
import { openSqliteLedger } from "toolgate/history";
import { listening, PACE, PACED_PIECES, piece, PIECES, stamp, TOKEN } from "./work.mjs";

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

const paced = () =>
  new ReadableStream({
    start(controller) {
      for (const part of START) controller.enqueue(part);
      let left = PACED_PIECES;
      const timer = setInterval(() => {
        controller.enqueue(delta(stamp()));
        if ((left -= 1) > 0) return;
        clearInterval(timer);
        for (const part of END) controller.enqueue(part);
        controller.close();
      }, PACE);
    },
  });

const model = {
  specificationVersion: "v3",
  provider: "bench",
  modelId: "bench",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("It only streams.")),
  doStream: async ({ prompt }) => ({
    stream: prompt.at(-1).content[0].text === "paced" ? paced() : atOnce(),
  }),
};

const ledger = await openSqliteLedger(process.argv[2]);
const { url } = await serveAap(createAgent({ name: "bench", model, tools: [] }), {
  port: 0,
  token: TOKEN,
  ledger,
  limits: { requestsPerSecond: 1_000_000 },
});
listening(url);
