// The history commands over many sessions, as a person runs them: the first list, which makes the index, the next ones,
// and the statistics, each a process of its own. Also the two reads that doors need of one long session (does it exist,
// and its state), against reading its whole log. BENCH_SESSIONS and BENCH_EVENTS set the size.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readAll, readSessionInfo } from "toolgate/call";
import { openLedger } from "toolgate/history";

const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 1_000);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const LONG_SESSION = Number(process.env.BENCH_LONG_SESSION ?? 100_000);
const MODELS = ["anthropic/claude-sonnet-4-5", "openai/gpt-5", "google/gemini-2.5-pro"];
const EVENTS_OF_A_STEP = 11;
const NOW = 1_700_000_000_000;

const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, JSON.parse(readFileSync(join(root, "package.json"), "utf8")).bin.toolgate);
try {
  await manySessions();
  await oneLongSession();
} finally {
  rmSync(folder, { recursive: true });
}

async function manySessions() {
  const file = join(folder, "many.sqlite");
  const ledger = await openLedger(file);
  const each = Math.max(20, Math.floor(EVENTS / SESSIONS));
  for (let number = 0; number < SESSIONS; number += 1) {
    const lease = await ledger.claim(`session-${number}`, "bench", { milliseconds: 60_000 });
    await ledger.append(lease, sessionEvents(number, each), { durable: false });
    await ledger.release(lease);
  }
  await ledger.close();
  console.log(
    `archive: ${SESSIONS} sessions of ${each} events, one model answer in ${EVENTS_OF_A_STEP} events`,
  );
  await timeCommand("first history list, which makes the index", "history list", file);
  await timeCommand("history list (bar: 1,000)", "history list", file);
  await timeCommand("history search (bar: 1,000)", "history search turbine", file);
  await timeCommand("stats", "stats", file);
  await timeCommand("stats --by model (bar: as stats)", "stats --by model", file);
}

async function timeCommand(what, command, file) {
  const { milliseconds, stderr } = await run([...command.split(" "), "--ledger", file]);
  const lines = stderr.split("\n").filter((line) => line.includes(" of ")).length;
  const progress = lines === 0 ? "" : `, ${lines} lines of progress`;
  console.log(`  ${what}: ${milliseconds.toFixed(0)} ms${progress}`);
}

async function oneLongSession() {
  const ledger = await openLedger(join(folder, "long.sqlite"));
  const lease = await ledger.claim("long", "bench", { milliseconds: 60_000 });
  await ledger.append(lease, sessionEvents(0, LONG_SESSION), { durable: false });
  console.log(`  one session of ${LONG_SESSION} events:`);
  await timeRead("its whole log", () => readAll(ledger, "long"));
  await timeRead("whether it is there", () => ledger.has("long"));
  await timeRead("what it is", () => readSessionInfo(ledger, "long"));
  await ledger.close();
}

async function timeRead(what, read) {
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    await read();
    times.push(performance.now() - start);
  }
  console.log(`    ${what}: ${times.toSorted((one, other) => one - other)[2].toFixed(2)} ms`);
}

function run(args) {
  const start = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("close", (status) =>
      status === 0
        ? resolve({ milliseconds: performance.now() - start, stderr })
        : reject(new Error(`toolgate ${args.join(" ")} ended with ${status}: ${stderr}`)),
    );
  });
}

/** Turns with a response, a call and its output. */
function sessionEvents(number, count) {
  const model = MODELS[number % MODELS.length];
  const info = {
    cwd: `/home/user/project-${number % 50}`,
    title: `Work on part ${number}`,
    agent: "toolgate",
    _meta: { toolgate: { flags: { model } } },
  };
  const all = [{ type: "info-changed", at: NOW + number, info }];
  const words = ["parser", "kernel", "ledger", "turbine", "harbour", "lantern", "meadow", "copper"];
  for (let step = 0; all.length < count; step += 1) {
    const [toolCallId, turnId, at] = [`call_${step}`, `turn_${step}`, NOW + number * 1_000 + step * 50];
    const word = words[(number + step) % words.length];
    const one = (type, data) => ({ type, toolCallId, at, ...data });
    const usage = { inputTokens: 1_000 + step, outputTokens: 100, cachedTokens: 500 };
    all.push(
      { type: "turn-started", turnId, at },
      {
        type: "message-chunk",
        at,
        messageId: `m_${step}`,
        role: "agent",
        block: { type: "text", text: `Now the ${word}.` },
      },
      one("call-announced", {
        name: "terminal",
        title: `npm test ${word}`,
        kind: "execute",
        kindSource: "declared",
      }),
      one("input-ready", { rawInput: { command: `npm test ${word}` } }),
      { type: "step-ended", turnId, stepId: `step_${step}`, at, toolCallIds: [toolCallId], usage },
      one("call-cleared", { decision: { by: "rule", rule: "tests", at } }),
      one("run-started"),
      one("content-appended", { content: { type: "terminal", terminalId: "t" } }),
      one("terminal-output", { terminalId: "t", text: `${word} passed, ${step} of ${count}\n` }),
      one("call-done"),
      { type: "turn-stopped", turnId, at, stopReason: "end_turn" },
    );
  }
  return all.slice(0, count);
}
