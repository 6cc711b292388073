// A process that does something heavy and prints, as JSON, what it cost: its memory is nobody else's.
// Usage: heavy.mjs output <bytes> | heavy.mjs sessions <count>
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryLedger } from "../../src/history/index.js";
import { readAll } from "../../src/call/index.js";
import { openGate } from "../../src/run/index.js";
import { builtInTools } from "../../src/tools/index.js";

const [what, amount] = process.argv.slice(2);
const workspace = mkdtempSync(join(tmpdir(), "toolgate-heavy-"));
const rules = [{ allow: "*", anyFlags: true }];
const ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" });
const open = (ledger) => openGate({ workspace, ledger, tools: builtInTools, rules, ask });

const megabytes = (bytes) => Math.round(bytes / 1024 / 1024);

async function output(bytes) {
  const ledger = new MemoryLedger();
  const gate = await open(ledger);
  await gate.call({ name: "terminal", input: { command: "echo warm" } });
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const command = `echo FIRST; yes 0123456789abcdef | head -c ${bytes}; echo; echo LAST`;
  const call = await gate.call({ name: "terminal", input: { command } });
  clearInterval(timer);
  const { output: text, truncated, exitCode } = call.rawOutput;
  const stored = JSON.stringify(await readAll(ledger, gate.sessionId)).length;
  await gate.close();
  return {
    status: call.state.status,
    grown: megabytes(peak - before),
    exitCode,
    truncated,
    length: text.length,
    start: text.slice(0, 6),
    end: text.includes("\nLAST\n"),
    stored,
  };
}

async function sessions(count) {
  const gates = [];
  let slowest = 0;
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    const gate = await open(new MemoryLedger());
    slowest = Math.max(slowest, performance.now() - started);
    await gate.call({ name: "thinking", input: { thought: `session ${index}` } });
    gates.push(gate);
  }
  const rss = megabytes(process.memoryUsage.rss());
  for (const gate of gates) await gate.close();
  return { rss, slowest, count: gates.length };
}

try {
  const result = what === "output" ? await output(Number(amount)) : await sessions(Number(amount));
  process.stdout.write(JSON.stringify(result));
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
