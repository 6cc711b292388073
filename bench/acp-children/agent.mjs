// An agent on toolgate, as its author would write it. Its model answers one prompt with 200 calls, each with ten reports on
// the way and a diff of 5 KB; the other with a hundred calls that are asked about.
import { setImmediate } from "node:timers/promises";
import { createAgent } from "toolgate";
import { serveAcp } from "toolgate/acp";
import { MemoryLedger, openLedger } from "toolgate/history";
import { defineTool } from "toolgate/tools";
import { CALLS, DIFF, QUESTIONS, REPORTS } from "./work.mjs";

const edit = defineTool({
  name: "edit_it",
  description: "Edits.",
  kind: "edit",
  input: { type: "object" },
  async run({ index }, { report }) {
    for (let count = 1; count <= REPORTS; count += 1) {
      report({ progress: { done: count, total: REPORTS } });
      await setImmediate();
    }
    const diff = { type: "diff", operation: "modify", path: `/work/file-${String(index)}.ts`, ...DIFF };
    return { output: { changed: true }, content: [diff] };
  },
});

const ask = defineTool({
  name: "ask_it",
  description: "Asks.",
  kind: "other",
  input: { type: "object" },
  run: async () => ({ output: "yes" }),
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function partsFor(prompt) {
  const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
  const last = prompt.at(-1);
  if (last.role !== "user") return [{ type: "stream-start", warnings: [] }, finish];
  const [toolName, count] = last.content[0].text === "ask" ? ["ask_it", QUESTIONS] : ["edit_it", CALLS];
  const calls = Array.from({ length: count }, (_, index) => ({
    type: "tool-call",
    toolCallId: `theirs-${index}`,
    toolName,
    input: JSON.stringify({ index }),
  }));
  return [{ type: "stream-start", warnings: [] }, ...calls, finish];
}

/** All of an answer in one piece: how long a model takes is not measured here. */
const atOnce = (parts) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

const model = {
  specificationVersion: "v3",
  provider: "bench",
  modelId: "bench",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("It only streams.")),
  doStream: async ({ prompt }) => ({ stream: atOnce(partsFor(prompt)) }),
};

const agent = createAgent({ name: "bench", model, tools: [edit, ask], rules: [{ allow: "edit_it" }] });
const file = process.argv[2];
await serveAcp(agent, { ledger: file === undefined ? new MemoryLedger() : await openLedger(file) });
process.exit();
