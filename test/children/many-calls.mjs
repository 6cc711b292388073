// A process that takes a turn whose first step has very many calls, on SQLite, and prints how the calls ended and the
// memory that it took. Each call appends its number to effects.txt. Usage: many-calls.mjs <folder> <calls>
import { appendFileSync } from "node:fs";
import { z } from "zod";
import { AgentSession, createAgent } from "../../src/agent/index.js";
import { openLedger } from "../../src/history/index.js";
import { parseScript, scriptedModel } from "../../src/model/index.js";
import { defineTool, LocalWorkspace } from "../../src/tools/index.js";

const [folder, count] = process.argv.slice(2);
const mark = defineTool({
  name: "mark",
  description: "Leaves a mark.",
  kind: "other",
  input: z.object({ number: z.number() }),
  run: async ({ number }) => {
    appendFileSync(`${folder}/effects.txt`, `${number}\n`);
    return `marked ${number}`;
  },
});
const calls = Array.from({ length: Number(count) }, (_, number) => ({ tool: "mark", input: { number } }));
const ledger = await openLedger(`${folder}/ledger.db`);
const session = await AgentSession.open({
  agent: createAgent({
    name: "child",
    model: scriptedModel(parseScript({ steps: [{ calls }, { say: "The end." }] })),
    tools: [mark],
    rules: [{ allow: "mark" }],
  }),
  ledger,
  workspace: await LocalWorkspace.open(folder),
  sessionId: "s",
});
const end = await session.prompt([{ type: "text", text: "go" }], new AbortController().signal);
const ends = {};
for (const { state } of session.book.calls()) ends[state.status] = (ends[state.status] ?? 0) + 1;
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
await session.close();
await ledger.close();
process.stdout.write(JSON.stringify({ end, ends, peakMegabytes }));
