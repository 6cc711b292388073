// An agent on toolgate, as its author would write it: a loop of its own behind the gate. One prompt makes 200 calls, each
// with ten reports on the way and a diff of 5 KB; or asks a hundred questions at once.
import { setImmediate } from "node:timers/promises";
import { serveAcp } from "toolgate/acp";
import { MemoryLedger, openSqliteLedger } from "toolgate/history";
import { defineTool } from "toolgate/tools";
import { CALLS, DIFF, REPORTS } from "./work.mjs";

const edit = defineTool({
  name: "edit_it",
  description: "Edits.",
  kind: "edit",
  input: { type: "object" },
  async run({ index }, { report, diff }) {
    for (let count = 1; count <= REPORTS; count += 1) {
      report({ progress: { done: count, total: REPORTS } });
      await setImmediate();
    }
    diff({ type: "diff", operation: "modify", path: `/work/file-${String(index)}.ts`, ...DIFF });
    return { output: { changed: true } };
  },
});

const ask = defineTool({
  name: "ask_it",
  description: "Asks.",
  kind: "other",
  input: { type: "object" },
  run: async () => ({ output: "yes" }),
});

const loop = {
  name: "bench",
  tools: [edit, ask],
  rules: [{ allow: "edit_it" }],
  async prompt(_turn, [{ text }], gate) {
    const [name, count] = text === "ask" ? ["ask_it", 100] : ["edit_it", CALLS];
    const calls = Array.from({ length: count }, (_, index) => gate.call({ name, input: { index } }));
    await Promise.all(calls);
  },
};

const file = process.argv[2];
await serveAcp(loop, { ledger: file === undefined ? new MemoryLedger() : await openSqliteLedger(file) });
process.exit();
