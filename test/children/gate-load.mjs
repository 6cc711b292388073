// A process that makes very many calls at once through one gate, each with an input of its own, and prints
// how each ended, how often its tool ran, and how much memory that took.
// Usage: gate-load.mjs <folder> <calls> <call|proceed> [ledger file]
import { MemoryLedger, openLedger } from "../../src/history/index.js";
import { readAll } from "../../src/call/index.js";
import { openGate } from "../../src/run/index.js";
import { defineTool } from "../../src/tools/index.js";
import { z } from "zod";

const [folder, count, how, file] = process.argv.slice(2);
const ledger = file ? await openLedger(file) : new MemoryLedger();
const runs = new Map();
const tool = defineTool({
  name: "count",
  description: "Counts.",
  kind: "other",
  input: z.object({ n: z.number() }),
  run: async ({ n }) => {
    runs.set(n, (runs.get(n) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, n % 5));
    return `ran ${n}`;
  },
});
const gate = await openGate({ ledger, workspace: folder, tools: [tool], rules: [{ allow: "*" }] });
const requests = Array.from({ length: Number(count) }, (_, n) => ({ name: "count", input: { n } }));
if (how === "proceed") {
  await gate.submit(requests);
  await gate.proceed(new AbortController().signal);
} else await Promise.all(requests.map((request) => gate.call(request)));

const ends = {};
let wrong = 0;
for (const { state, rawInput, rawOutput } of gate.book.calls()) {
  ends[state.status] = (ends[state.status] ?? 0) + 1;
  if (rawOutput !== `ran ${rawInput.n}`) wrong += 1;
}
const events = await readAll(ledger, gate.sessionId);
const ended = new Set(events.flatMap(({ event }) => (event.type === "call-done" ? event.toolCallId : [])));
process.stdout.write(
  JSON.stringify({
    ends,
    wrong,
    ran: runs.size,
    ranTwice: [...runs.values()].filter((times) => times !== 1).length,
    recorded: ended.size,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }),
);
await gate.close();
await ledger.close();
