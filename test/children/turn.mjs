// A process that takes a scripted turn as far as it can, from wherever the ledger says it is, and kills
// itself with -9 before or after the given append. Usage: turn.mjs <folder> [before|after <n>]
import { AgentSession, createAgent, waitForTurn } from "../../src/agent/index.js";
import { openLedger } from "../../src/history/index.js";
import { parseScript, scriptedModel } from "../../src/model/index.js";
import { builtInTools, LocalWorkspace } from "../../src/tools/index.js";
import { dying } from "./dying-ledger.mjs";

const [folder, when, count] = process.argv.slice(2);
const append = (name) => ({ tool: "terminal", input: { command: `echo ${name} >> log.txt` } });
const script = parseScript({
  steps: [
    { say: "Two at once.", calls: [append("one"), append("two")] },
    {
      say: "And a plan.",
      calls: [{ tool: "todo_write", input: { todos: [{ content: "x", status: "pending" }] } }],
    },
    { calls: [{ tool: "edit_file", input: { path: "note.txt", oldText: "", newText: "written" } }] },
    { say: "The end." },
  ],
});

const ledger = dying(await openLedger(`${folder}/ledger.sqlite`), when, Number(count));
const agent = createAgent({
  name: "child",
  model: scriptedModel(script),
  tools: builtInTools,
  rules: [{ allow: "execute" }, { allow: "todo_write" }],
});
const session = await AgentSession.open({
  agent,
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
process.stdout.write(JSON.stringify(session.book.snapshot()));
await session.close();
await ledger.close();
