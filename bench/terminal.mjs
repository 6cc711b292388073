// The terminal tool with a command that prints as fast as it can, against a program that starts the same
// command and drops its output: speed, updates per second, and memory as the output grows. The call goes
// the whole way: through the gate, into a ledger in memory, and folded.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtInTools, Gate, LocalWorkspace, MemoryLedger, SessionRecord, Toolbox } from "toolgate";
import { compareAsync, median } from "./measure.mjs";

const MB = 1_000_000;
const SPEED_BYTES = 200 * MB;
const MEMORY_BYTES = [50 * MB, 200 * MB, 1000 * MB];
const ROUNDS = 7;

const printing = (bytes) => `yes 'a line of output, as long as such lines usually are' | head -c ${bytes}`;
const A_LINE_EVERY_10_MS = "for i in $(seq 300); do echo line $i; sleep 0.01; done";

const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const workspace = await LocalWorkspace.open(folder);

const judge = () => ({ effect: "allow", saw: [] });

/** The moments at which something was shown. */
async function throughTheGate(command, bytes) {
  const record = await SessionRecord.open(new MemoryLedger(), "bench", { owner: "bench" });
  const updates = new Set();
  // A beginning and an end that are shown together are one update.
  record.onRecorded((events) => {
    for (const { type, at } of events) if (type === "terminal-output") updates.add(at);
  });
  const gate = new Gate({ record, toolbox: new Toolbox(builtInTools), judge, workspace });
  const call = await gate.call({ name: "terminal", input: { command } });
  await record.close();
  const total = call.content[0]?.output?.total;
  if (call.state.status !== "done" || (bytes !== undefined && total !== bytes))
    throw new Error(`The call is ${call.state.status}, and ${total} of ${bytes} characters came.`);
  return [...updates];
}

async function discarded(command, stdout) {
  const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", stdout, stdout] });
  child.stdout?.resume();
  child.stderr?.resume();
  await once(child, "close");
}

async function compareSpeed() {
  const command = printing(SPEED_BYTES);
  const runs = {
    gate: () => throughTheGate(command, SPEED_BYTES),
    read: () => discarded(command, "pipe"),
    unread: () => discarded(command, "ignore"),
  };
  return compareAsync(runs, ROUNDS);
}

const mostInASecond = (updates) =>
  Math.max(...updates.map((from) => updates.filter((at) => at >= from && at < from + 1000).length));

/** How far the memory of a fresh process grows while so much is printed: the median of three. */
async function growthFor(bytes) {
  const all = [];
  for (let round = 0; round < 3; round += 1) {
    const child = fork(fileURLToPath(import.meta.url), ["--memory", String(bytes)]);
    const ended = once(child, "exit");
    const [growth] = await once(child, "message");
    await ended;
    all.push(growth);
  }
  return median(all);
}

async function measureGrowth(bytes) {
  // In the first hundred megabytes the heap takes the size that it works with.
  await throughTheGate(printing(100 * MB), 100 * MB);
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  await throughTheGate(printing(bytes), bytes);
  clearInterval(watch);
  process.send(Math.max(most, process.memoryUsage.rss()) - before);
}

async function main() {
  console.log("terminal: 200 MB of lines through the gate, against the same command with its output dropped");
  const { gate, read, unread } = await compareSpeed();
  line("toolgate", gate);
  line("read from a pipe and dropped", read);
  line("never read (/dev/null)", unread);
  console.log(`  speed relative to read and dropped: ${(read / gate).toFixed(2)} (bar: 0.45)`);
  const flood = mostInASecond(await throughTheGate(printing(1000 * MB), 1000 * MB));
  const steady = mostInASecond(await throughTheGate(A_LINE_EVERY_10_MS));
  console.log(
    `  updates in a second, at most: ${flood} for 1 GB at once, ${steady} for a line every 10 ms (bar: 20)`,
  );
  for (const bytes of MEMORY_BYTES) {
    const growth = await growthFor(bytes);
    console.log(
      `  memory grows by ${(growth / MB).toFixed(1).padStart(5)} MB while ${bytes / MB} MB are printed`,
    );
  }
}

function line(name, milliseconds) {
  const rate = (SPEED_BYTES / MB / milliseconds) * 1000;
  console.log(
    `  ${name.padEnd(30)} ${milliseconds.toFixed(0).padStart(6)} ms ${rate.toFixed(0).padStart(6)} MB/s`,
  );
}

const [mode, bytes] = process.argv.slice(2);
try {
  await (mode === "--memory" ? measureGrowth(Number(bytes)) : main());
} finally {
  rmSync(folder, { recursive: true });
}
