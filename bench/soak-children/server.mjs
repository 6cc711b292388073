// A server whose agent calls two tools in each turn, one of them asked about, and compacts every few turns: its model
// has a small context window. The server reports its memory after a full garbage collection.
import { createAgent } from "toolgate";
import { serveAap } from "toolgate/aap";
import { openLedger } from "toolgate/history";
import { defineTool } from "toolgate/tools";

export const TOKEN = "the-token-of-the-soak-test-server";
const input = { type: "object" };
const look = defineTool({
  name: "look",
  description: "Looks.",
  kind: "read",
  input,
  run: async ({ at }) => ({ output: `${at}: ${"a line of a file that was read\n".repeat(20)}` }),
});
const change = defineTool({
  name: "change",
  description: "Changes.",
  kind: "edit",
  input,
  run: async ({ at }) => ({ output: { changed: at } }),
});

let made = 0;
const finish = (tokens) => ({
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 20, text: 20, reasoning: 0 },
  },
});
const call = (toolName, fields) => ({
  type: "tool-call",
  toolCallId: `call-${(made += 1)}`,
  toolName,
  input: JSON.stringify(fields),
});

function answer(prompt) {
  const tokens = Math.round(JSON.stringify(prompt).length / 4);
  const last = prompt.at(-1);
  const text = last.role === "user" ? last.content[0].text : "";
  const parts = text.startsWith("work")
    ? [call("look", { at: `file-${made}` }), call("change", { at: `file-${made}` })]
    : [
        { type: "text-start", id: "text" },
        { type: "text-delta", id: "text", delta: "Some words about what was done. ".repeat(5) },
        { type: "text-end", id: "text" },
      ];
  return [{ type: "stream-start", warnings: [] }, ...parts, finish(tokens)];
}

const model = {
  specificationVersion: "v3",
  provider: "soak",
  modelId: "soak",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("It only streams.")),
  doStream: async ({ prompt }) => ({
    stream: new ReadableStream({
      start(controller) {
        for (const part of answer(prompt)) controller.enqueue(part);
        controller.close();
      },
    }),
  }),
};

const ledger = await openLedger(process.argv[2]);
const agent = createAgent({ name: "soak", model, tools: [look, change], rules: [], contextWindow: 4_000 });
const { url } = await serveAap(agent, {
  port: 0,
  token: TOKEN,
  ledger,
  limits: { requestsPerSecond: 1_000_000 },
});
process.send({ url });
process.on("message", () => {
  globalThis.gc();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send({ rss, heapUsed, external, arrayBuffers });
});
process.on("disconnect", () => process.exit());
