// A process that takes a turn with many calls as far as it can, from wherever the ledger says it is, until it is
// killed. Each effect is a line in effects.txt; each acknowledged event's number is printed.
// Usage: killed-anywhere.mjs <folder>
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { AgentSession, createAgent, waitForTurn } from "../../dist/agent/index.js";
import { openLedger } from "../../dist/history/index.js";
import { parseScript, scriptedModel } from "../../dist/model/index.js";
import { defineTool, LocalWorkspace } from "../../dist/tools/index.js";

const [folder] = process.argv.slice(2);
const tell = (line) => writeSync(1, `${line}\n`);
const briefly = () => setTimeout(Math.random() * 8);

/** Its effect comes in the middle of its run, so that a kill can fall on either side of it. */
const marking = (name) =>
  defineTool({
    name,
    description: "Leaves a mark.",
    kind: "other",
    input: z.object({ word: z.string() }),
    run: async ({ word }, { output }) => {
      output("Now ");
      await briefly();
      appendFileSync(`${folder}/effects.txt`, `${word}\n`);
      await briefly();
      output("done.");
      return `marked ${word}`;
    },
  });

const steps = Array.from({ length: 24 }, (_, step) => ({
  say: `Step ${step}.`,
  calls: ["a", "b", "c"].map((letter) => ({
    tool: letter === "c" ? "mark_asking" : "mark",
    input: { word: `${step}${letter}` },
  })),
}));
const ledger = await openLedger(`${folder}/ledger.db`);
const session = await AgentSession.open({
  agent: createAgent({
    name: "child",
    model: scriptedModel(parseScript({ steps: [...steps, { say: "The end." }] })),
    tools: [marking("mark"), marking("mark_asking")],
    rules: [{ allow: "mark" }],
  }),
  ledger,
  workspace: await LocalWorkspace.open(folder),
  sessionId: "s",
  leaseMs: 120,
  leaseWaitMs: 60_000,
});
session.onRecorded(() => tell(session.seq));
tell(session.seq);

const { signal } = new AbortController();
const yes = async () => {
  await briefly();
  return { outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" };
};
const isStarted = session.book.turn !== undefined;
if (!isStarted)
  await waitForTurn(session, yes, signal, () => session.prompt([{ type: "text", text: "go" }], signal));
else if (session.book.turn.state.status !== "stopped")
  await waitForTurn(session, yes, signal, () => session.advance(signal));
await session.close();
await ledger.close();
tell("over");
