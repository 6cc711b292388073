// A process that cancels a call of every kind and then has nothing more to do. The process must end by itself, long
// before the time limits and the grace periods of its calls end. Usage: gate-over.mjs <folder>
import { setTimeout } from "node:timers/promises";
import { MemoryLedger } from "../../src/history/index.js";
import { openGate } from "../../src/run/index.js";
import { builtInTools, defineTool } from "../../src/tools/index.js";
import { z } from "zod";

const [folder] = process.argv.slice(2);
const running = new Set();
const tool = (name, run, timeLimit) =>
  defineTool({
    name,
    description: name,
    kind: "other",
    input: z.object({}),
    timeLimit,
    run: (...args) => {
      running.add(name);
      return run(...args);
    },
  });
const gate = await openGate({
  ledger: new MemoryLedger(),
  workspace: folder,
  tools: [
    ...builtInTools,
    tool("slow", (_, { signal }) => setTimeout(600_000, "done", { signal })),
    tool("asking", async (_, call) => (await call.ask({ message: "Which?" })).action),
    tool("limited", (_, { signal }) => setTimeout(600_000, "done", { signal }), 20),
    tool("loud", async (_, call) => {
      call.output("so far");
      call.progress(1, 2);
      return setTimeout(600_000, "done", { signal: call.signal });
    }),
    tool("question", () => Promise.resolve("done")),
    tool("instant", () => Promise.resolve("done")),
  ],
  policy: () => ({ rules: [{ allow: "*", anyFlags: true }, { ask: "question" }] }),
  // The asker never answers, also after its signal was aborted.
  ask: () => new Promise(() => undefined),
  elicit: () => new Promise(() => undefined),
  questionLifetime: 600_000,
  stopGraceMs: 600_000,
});
const stop = new AbortController();
const names = ["slow", "asking", "limited", "loud", "question", "instant"];
const requests = [
  ...names.map((name) => ({ name, input: {} })),
  { name: "terminal", input: { command: "sleep 600" } },
];
const calls = requests.map((request) => gate.call(request, stop.signal));
const [, , limited] = calls;
await limited;
while (!["slow", "asking", "loud", "instant"].every((name) => running.has(name))) await setTimeout(10);
stop.abort();
const ends = (await Promise.all(calls)).map(({ name, state }) => `${name} ${state.status}`);
await gate.close();
process.stdout.write(JSON.stringify(ends));
