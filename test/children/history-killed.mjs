// A process that runs a tool whose effect is a line in a file, and is killed with -9 after the effect and
// before its result is recorded. Usage: history-killed.mjs <folder>
import { appendFileSync } from "node:fs";
import { openLedger } from "../../src/history/index.js";
import { openGate } from "../../src/run/index.js";
import { defineTool } from "../../src/tools/index.js";
import { z } from "zod";

const [folder] = process.argv.slice(2);
const tool = defineTool({
  name: "pay",
  description: "Pays once.",
  kind: "other",
  input: z.looseObject({}),
  run: () => {
    appendFileSync(`${folder}/paid.txt`, "paid\n");
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
});
const gate = await openGate({
  ledger: await openLedger(`${folder}/ledger.db`),
  workspace: folder,
  tools: [tool],
  rules: [{ allow: "pay" }],
  sessionId: "s1",
});
await gate.call({ name: "pay", input: {} });
