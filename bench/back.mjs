// From kill -9 to ready: a killed agent's session is opened again by a fresh process, until session/load is answered.
// The bare limit is the same process and the same session when the agent before it had closed it. And races: six
// processes open the same 200 sessions; how long the losers wait for their refusal.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const ROUNDS = Number(process.env.TOOLGATE_ROUNDS ?? 15);
const RACERS = 6;
const SESSIONS = 200;
const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const racer = fileURLToPath(new URL("back-children/racer.mjs", import.meta.url));
const script = join(folder, "script.json");
writeFileSync(script, JSON.stringify({ steps: [{ say: "Here." }] }));

class Agent {
  #process = spawn(
    process.execPath,
    [program, "acp", "--ledger", join(folder, "back.sqlite"), "--script", script],
    {
      cwd: folder,
      env: { ...process.env, HOME: folder, XDG_STATE_HOME: folder },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  #rest = "";
  #id = 0;
  #waiting = new Map();

  constructor() {
    this.#process.stdout.setEncoding("utf8").on("data", (text) => this.#read(text));
  }

  async request(method, params) {
    this.#id += 1;
    const id = this.#id;
    const response = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await response;
    if (error) throw new Error(error.message);
    return result;
  }

  async load(sessionId) {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    await this.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  }

  async end(signal) {
    const ended = once(this.#process, "exit");
    if (signal) this.#process.kill(signal);
    else this.#process.stdin.end();
    await ended;
  }

  #read(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if ("method" in message) continue;
      this.#waiting.get(message.id)?.(message);
    }
  }
}

/** A new session with one turn. */
async function newSession() {
  const agent = new Agent();
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request("session/new", { cwd: folder, mcpServers: [] });
  await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Are you there?" }] });
  return { agent, sessionId };
}

/** Milliseconds from the end of the agent before to the response of the next one. */
async function back(signal) {
  const { agent, sessionId } = await newSession();
  if (!signal) await agent.end();
  const start = performance.now();
  if (signal) await agent.end(signal);
  const next = new Agent();
  await next.load(sessionId);
  const took = performance.now() - start;
  await next.end();
  return took;
}

async function race() {
  const file = join(folder, "race.sqlite");
  const racers = Array.from({ length: RACERS }, () => fork(racer, [file, String(SESSIONS)]));
  await Promise.all(racers.map((one) => once(one, "message")));
  const ends = racers.map((one) => once(one, "message"));
  for (const one of racers) one.send("go");
  const results = (await Promise.all(ends)).map(([result]) => result);
  for (const one of racers) one.disconnect();
  const winners = Array.from(
    { length: SESSIONS },
    (_, index) => results.filter(({ won }) => won.includes(index)).length,
  );
  if (winners.some((count) => count !== 1))
    throw new Error(`Some sessions have other than one winner: ${winners.join(" ")}`);
  return results.flatMap(({ lost }) => lost).sort((a, b) => a - b);
}

const times = { killed: [], closed: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  times.closed.push(await back());
  times.killed.push(await back("SIGKILL"));
}
const ratio = median(times.killed.map((took, round) => took / times.closed[round]));
console.log("Back: from the end of an agent to session/load answered by the next one");
console.log(`  after a close (bare limit)   ${median(times.closed).toFixed(0).padStart(6)} ms`);
console.log(`  after kill -9                ${median(times.killed).toFixed(0).padStart(6)} ms`);
console.log(`  ratio                        ${ratio.toFixed(2).padStart(6)}`);
const waits = await race();
const at = (share) =>
  waits[Math.min(waits.length - 1, Math.floor(waits.length * share))].toFixed(1).padStart(7);
console.log(
  `Race: ${RACERS} processes open the same ${SESSIONS} sessions; ${waits.length} losers are refused after`,
);
console.log(`  p50 ${at(0.5)} ms\n  p99 ${at(0.99)} ms\n  max ${at(1)} ms`);
rmSync(folder, { recursive: true, force: true });
