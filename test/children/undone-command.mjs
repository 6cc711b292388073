// Runs one command and undoes it; writes what could not be put back as JSON. With a fourth word the undo waits for that file. Usage: undone-command.mjs <workspace> <kept> <command> [<file>]
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { MemoryLedger } from "../../src/history/index.js";
import { allowAll, openGate } from "../../src/run/index.js";
import { builtInTools, LocalWorkspace, openKeeper } from "../../src/tools/index.js";

const [root, folder, command, awaited] = process.argv.slice(2);
const gate = await openGate({
  ledger: new MemoryLedger(),
  workspace: await LocalWorkspace.open(root, { keeper: openKeeper({ folder, commands: "writing" }) }),
  tools: builtInTools,
  policy: () => ({ rules: [], default: "allow" }),
  ask: allowAll,
});
const { toolCallId } = await gate.call({ name: "terminal", input: { command } });
if (awaited !== undefined) {
  writeFileSync(`${awaited}.ready`, "");
  while (!existsSync(awaited)) await setTimeout(10);
}
const { left = [] } = await gate.undo(toolCallId);
await gate.close();
process.stdout.write(JSON.stringify(left.map(({ path }) => path)));
