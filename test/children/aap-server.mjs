// A server that is there to be killed: a scripted agent with tools that write down what they did, and one that takes its
// time to speak, on a SQLite ledger.
// Usage: aap-server.mjs <folder>. Prints its address as one line of JSON.
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { serveAap } from "../../src/aap/index.js";
import { createAgent } from "../../src/agent/index.js";
import { openLedger } from "../../src/history/index.js";
import { scriptedModel } from "../../src/model/index.js";
import { defineTool, LocalWorkspace } from "../../src/tools/index.js";
import { z } from "zod";

const [folder] = process.argv.slice(2);
const input = z.object({});
const did = (what) => appendFileSync(`${folder}/did`, `${what}\n`);

const send = defineTool({
  name: "send",
  description: "Sends.",
  kind: "other",
  input,
  run: async () => {
    did("send");
    return { output: "sent" };
  },
});
// Goes on when there is a file of this name.
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  kind: "think",
  input,
  run: async (_input, { signal }) => {
    did("wait");
    while (!existsSync(`${folder}/go-on`)) await setTimeout(5, undefined, { signal });
    return { output: "waited" };
  },
});
const steps = [
  { say: "First I wait.", calls: [{ tool: "wait", input: {} }] },
  { say: "Then I send.", calls: [{ tool: "send", input: {} }] },
  { say: "That was all." },
];
const agent = createAgent({ name: "clerk", model: scriptedModel({ steps }), tools: [send, wait] });
const words = Array.from({ length: 60 }, (_, index) => `word${index} `).join("");
const talker = createAgent({
  name: "talker",
  model: scriptedModel({ steps: [{ say: words }] }, { pauseMs: 10 }),
  tools: [],
});
const ledger = await openLedger(`${folder}/ledger.sqlite`);
const workspace = await LocalWorkspace.open(folder);
const { url } = await serveAap([agent, talker], {
  port: 0,
  token: "a-token-of-thirty-two-characters-and-more",
  ledger,
  workspace,
});
process.stdout.write(`${JSON.stringify({ url })}\n`);
