// Runs one command and undoes it; writes what could not be put back as JSON. Usage: undone-command.mjs <workspace> <kept> <command>
import { MemoryLedger } from "../../src/history/index.js";
import { allowAll, openGate } from "../../src/run/index.js";
import { builtInTools, LocalWorkspace, openKeeper } from "../../src/tools/index.js";

const [root, folder, command] = process.argv.slice(2);
const gate = await openGate({
  ledger: new MemoryLedger(),
  workspace: await LocalWorkspace.open(root, { keeper: openKeeper({ folder, commands: "writing" }) }),
  tools: builtInTools,
  policy: () => ({ rules: [], default: "allow" }),
  ask: allowAll,
});
const { toolCallId } = await gate.call({ name: "terminal", input: { command } });
const { left = [] } = await gate.undo(toolCallId);
await gate.close();
process.stdout.write(JSON.stringify(left.map(({ path }) => path)));
