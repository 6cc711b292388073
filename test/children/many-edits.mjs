// A process that edits a line of one large file many times in an open session, and prints by how many bytes its heap grew.
// Start it with --expose-gc. Usage: many-edits.mjs <folder with large.txt> <edits>
import { MemoryLedger } from "../../src/history/index.js";
import { openGate } from "../../src/run/index.js";
import { builtInTools } from "../../src/tools/index.js";

const [folder, count] = process.argv.slice(2);
const gate = await openGate({
  ledger: new MemoryLedger(),
  workspace: folder,
  sessionId: "s",
  tools: builtInTools,
  rules: [{ allow: "edit" }],
});
const edit = async (number) => {
  const input = { path: "large.txt", oldText: `line ${number} of`, newText: `changed ${number} of` };
  const { state } = await gate.call({ name: "edit_file", input });
  if (state.status !== "done") throw new Error(JSON.stringify(state));
};
const heap = () => {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
// The first edits load code and fill caches.
for (let number = 1; number <= 3; number += 1) await edit(number);
const before = heap();
for (let number = 4; number < 4 + Number(count); number += 1) await edit(number);
const grownBytes = heap() - before;
await gate.close();
process.stdout.write(JSON.stringify({ grownBytes }));
