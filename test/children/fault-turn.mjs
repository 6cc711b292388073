// A process that takes a turn with many calls as far as it can, from wherever the ledger says it is, until a fault ends
// it. Each effect is a line in effects.txt of the folder. Each line that it prints is JSON: the events that are on
// record, then that the turn is over, or the code of the error that ended it.
// Usage: fault-turn.mjs <folder> <ledger file> [answers-elsewhere]
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { AgentSession, createAgent, waitForTurn } from "../../src/agent/index.js";
import { openLedger } from "../../src/history/index.js";
import { McpServers } from "../../src/mcp/index.js";
import { parseScript, scriptedModel } from "../../src/model/index.js";
import { builtInTools, defineTool, LocalWorkspace } from "../../src/tools/index.js";

const STEPS = 12;
const [folder, file, answers] = process.argv.slice(2);
const print = (value) => writeSync(1, `${JSON.stringify(value)}\n`);
const pause = () => setTimeout(Math.random() * 12);

/** The effect comes in the middle of the run, so that a fault can fall on either side of it. */
const marking = (name) =>
  defineTool({
    name,
    description: "Leaves a mark.",
    kind: "other",
    input: z.object({ word: z.string() }),
    run: async ({ word }, { output }) => {
      output("Now ");
      await pause();
      appendFileSync(`${folder}/effects.txt`, `${word}\n`);
      await pause();
      output("done.");
      return `marked ${word}`;
    },
  });

const steps = Array.from({ length: STEPS }, (_, step) => ({
  say: `Step ${step}.`,
  calls: [
    { tool: "mark", input: { word: `${step}a` } },
    { tool: "mark_asking", input: { word: `${step}b` } },
    { tool: "terminal", input: { command: `sleep 0.01; echo ${step}c >> effects.txt; sleep 0.01` } },
    { tool: "marks__mark", input: { word: `${step}d` } },
  ],
}));

const yes = async () => {
  if (answers === "answers-elsewhere") return new Promise(() => undefined);
  await pause();
  return { outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" };
};

async function takeTurn() {
  const ledger = await openLedger(file);
  const args = [fileURLToPath(new URL("mcp-marks.mjs", import.meta.url)), `${folder}/effects.txt`];
  const servers = await McpServers.start(
    { marks: { command: process.execPath, args } },
    { approve: async () => true, cwd: folder, startTimeoutMs: 60_000 },
  );
  const session = await AgentSession.open({
    agent: createAgent({
      name: "child",
      model: scriptedModel(parseScript({ steps: [...steps, { say: "The end." }] })),
      tools: [...builtInTools, marking("mark"), marking("mark_asking")],
      toolSources: [servers],
      rules: [{ allow: "*", anyFlags: true }, { ask: "mark_asking" }],
    }),
    ledger,
    workspace: await LocalWorkspace.open(folder),
    sessionId: "s",
    leaseMs: 400,
    leaseWaitMs: 120_000,
  });
  const report = (events) => print({ seq: session.writtenSeq, events });
  session.onRecorded((events) => report(events.filter(({ type }) => type !== "message-chunk")));
  report([]);

  const { signal } = new AbortController();
  const { status } = session.book.turn?.state ?? {};
  if (status === undefined)
    await waitForTurn(session, yes, signal, () => session.prompt([{ type: "text", text: "go" }], signal));
  else if (status !== "stopped") await waitForTurn(session, yes, signal, () => session.advance(signal));
  await session.close();
  await servers.close();
  await ledger.close();
}

try {
  await takeTurn();
  print({ isOver: true });
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  print({ error: error.code ?? error.message });
  process.exit(1);
}
