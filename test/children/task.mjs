// A process that takes a turn with two sub-agents as far as it can, from wherever the ledger says it is, says yes to what
// they ask, and kills itself with -9 before or after the given append. Usage: task.mjs <folder> [before|after <n>]
import { AgentSession, createAgent, waitForTurn, taskTool } from "../../src/agent/index.js";
import { openLedger } from "../../src/history/index.js";
import { parseScript, scriptedModel } from "../../src/model/index.js";
import { builtInTools, LocalWorkspace } from "../../src/tools/index.js";
import { dying } from "./dying-ledger.mjs";

const [folder, when, count] = process.argv.slice(2);
const append = (name) => ({ tool: "terminal", input: { command: `echo ${name} >> log.txt` } });
const task = (prompt, ...subAgent) => ({ tool: "task", input: { description: prompt, prompt }, subAgent });
const script = parseScript({
  steps: [
    {
      calls: [
        task("Write one and two.", { calls: [append("one")] }, { calls: [append("two")] }, { say: "Both." }),
        task("Write three.", { say: "So be it.", calls: [append("three")] }, { say: "Three." }),
      ],
    },
    { say: "The end." },
  ],
});

const ledger = dying(await openLedger(`${folder}/ledger.sqlite`), when, Number(count));
const session = await AgentSession.open({
  agent: createAgent({
    name: "child",
    model: scriptedModel(script),
    tools: [...builtInTools, taskTool()],
    rules: [{ allow: "task" }],
  }),
  ledger,
  workspace: await LocalWorkspace.open(folder),
  sessionId: "s",
  leaseMs: 300,
  leaseWaitMs: 60_000,
});
const { signal } = new AbortController();
const yes = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" });
const status = session.book.turn?.state.status;
if (status === undefined)
  await waitForTurn(session, yes, signal, () => session.prompt([{ type: "text", text: "go" }], signal));
else if (status !== "stopped") await waitForTurn(session, yes, signal, () => session.advance(signal));
const events = (await ledger.read("s")).map(({ event }) => event);
process.stdout.write(JSON.stringify({ session: session.book.snapshot(), events }));
await session.close();
await ledger.close();
