// ACP over real pipes: an agent on toolgate against a process that only writes the same lines, and our client against a
// process that only parses them. Variants take turns; each prints the first, the second and a warm prompt of a process with
// its ratio to the bare one, which is the median of the rounds' ratios.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentConnection } from "toolgate/acp";
import { MemoryLedger, openLedger } from "toolgate/history";
import { LocalWorkspace } from "toolgate/tools";
import { CALLS, REPORTS } from "./acp-children/work.mjs";
import { median } from "./measure.mjs";

const ROUNDS = Number(process.env.TOOLGATE_ROUNDS ?? 11);
const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const child = (name) => fileURLToPath(new URL(`acp-children/${name}.mjs`, import.meta.url));
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** A client that parses every line and only answers questions. */
class BareClient {
  #child;
  #rest = "";
  #id = 0;
  #waiting = new Map();
  lines = [];
  keeps = false;
  updates = 0;

  constructor(args) {
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdout.setEncoding("utf8").on("data", (chunk) => this.#read(chunk));
  }

  get pid() {
    return this.#child.pid;
  }

  request(method, params) {
    this.#id += 1;
    const answer = new Promise((resolve, reject) => this.#waiting.set(this.#id, { resolve, reject }));
    this.#send({ jsonrpc: "2.0", id: this.#id, method, params });
    return answer;
  }

  async open() {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return this;
  }

  /** In a session of its own, so that memory of earlier prompts does not count for this one. */
  async prompt(text) {
    const { sessionId } = await this.request("session/new", { cwd: folder, mcpServers: [] });
    const prompt = [{ type: "text", text }];
    const start = performance.now();
    await this.request("session/prompt", { sessionId, prompt });
    const took = performance.now() - start;
    await this.request("session/close", { sessionId });
    return took;
  }

  async leave() {
    const left = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await left;
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(chunk) {
    const text = this.#rest + chunk;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const line = text.slice(start, end);
      start = end + 1;
      const message = JSON.parse(line);
      if (message.method === "session/update") this.updates += 1;
      else if (message.method !== undefined) this.#answer(message);
      else
        this.#waiting
          .get(message.id)
          ?.[message.error ? "reject" : "resolve"](message.result ?? message.error);
      if (this.keeps && message.method !== undefined) this.lines.push(line);
    }
    this.#rest = text.slice(start);
  }

  #answer({ id, params }) {
    const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
    this.#send({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId } } });
  }
}

/** Our agent's output for a prompt, for the process that only repeats it. */
async function recorded(text) {
  const client = await new BareClient([child("agent")]).open();
  client.keeps = true;
  await client.prompt(text);
  await client.leave();
  const file = join(folder, `${text}.json`);
  writeFileSync(file, `[${client.lines.join(",")}]`);
  return { file, messages: client.lines.length };
}

const MOMENTS_OF_PROCESS = ["first", "second", "warm"];

/** Each round starts every variant again: its first and its second prompt, and the median of five after thirty more. */
async function rounds(variants) {
  const names = Object.keys(variants);
  const times = names.map(() => MOMENTS_OF_PROCESS.map(() => []));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, start] of Object.values(variants).entries()) {
      const { prompt, leave } = await start(round);
      const [first, second] = [await prompt(), await prompt()];
      for (let run = 0; run < 30; run += 1) await prompt();
      const runs = [];
      for (let run = 0; run < 5; run += 1) runs.push(await prompt());
      for (const [moment, took] of [first, second, median(runs)].entries()) times[index][moment].push(took);
      await leave();
    }
  }
  for (const [index, name] of names.entries()) {
    const columns = MOMENTS_OF_PROCESS.map((moment, at) => {
      const ratio = median(times[index][at].map((took, round) => times[0][at][round] / took));
      return `${moment} ${median(times[index][at]).toFixed(1).padStart(6)} ms ${ratio.toFixed(2)}`;
    });
    console.log(`  ${name.padEnd(28)} ${columns.join("   ")}`);
  }
}

/** A bare client with the agents that these commands start. */
const agents = (text, variants) =>
  Object.fromEntries(
    Object.entries(variants).map(([name, args]) => [
      name,
      async (round) => {
        const client = await new BareClient(args(round)).open();
        return { prompt: () => client.prompt(text), leave: () => client.leave() };
      },
    ]),
  );

const edits = await recorded("edit");
const wanted = CALLS * (REPORTS + 3);
console.log(`one prompt, ${CALLS} calls, ${edits.messages} updates (every step of every call: ${wanted})`);
await rounds(
  agents("edit", {
    bare: () => [child("bare-agent"), edits.file],
    "toolgate's connection alone": () => [child("connection"), edits.file],
    "the SDK's agent": () => [child("sdk-agent")],
    "toolgate, in memory": () => [child("agent")],
    "toolgate, SQLite": (round) => [child("agent"), join(folder, `ledger-${round}.sqlite`)],
  }),
);

const questions = await recorded("ask");
console.log(`100 permission requests in flight (${questions.messages} messages)`);
await rounds(
  agents("ask", {
    bare: () => [child("bare-agent"), questions.file],
    "toolgate's connection alone": () => [child("connection"), questions.file],
    "toolgate, in memory": () => [child("agent")],
  }),
);

/** Our client with an agent that only writes: the client folds and records its updates. */
async function folding(makeLedger) {
  const argv = [process.execPath, child("bare-agent"), edits.file];
  const connection = await AgentConnection.open({ agent: { argv, cwd: folder } });
  const workspace = await LocalWorkspace.open(folder);
  const ledger = await makeLedger();
  const prompt = async () => {
    const session = await connection.newSession({ ledger, workspace, policy: () => ({ rules: [] }) });
    const start = performance.now();
    await session.prompt([{ type: "text", text: "edit" }], new AbortController().signal);
    const took = performance.now() - start;
    if (session.book.callCount !== CALLS) throw new Error(`${session.book.callCount} calls were received`);
    await session.close();
    return took;
  };
  const leave = async () => {
    await connection.close();
    await ledger.close();
  };
  return { prompt, leave };
}

async function parsing() {
  const client = await new BareClient([child("bare-agent"), edits.file]).open();
  return { prompt: () => client.prompt("edit"), leave: () => client.leave() };
}

const clients = {
  bare: parsing,
  "toolgate, in memory": () => folding(async () => new MemoryLedger()),
  "toolgate, SQLite": () => folding(() => openLedger(join(folder, "client.sqlite"))),
};
console.log(`a client that receives the same ${edits.messages} updates from a bare agent`);
await rounds(clients);

/** Milliseconds from the start of the process to the responses to `initialize` and to `session/new`. */
async function coldStart(args) {
  const start = performance.now();
  const client = await new BareClient(args).open();
  const initialized = performance.now() - start;
  await client.request("session/new", { cwd: folder, mcpServers: [] });
  const opened = performance.now() - start;
  await client.leave();
  return [initialized, opened];
}

const acp = [program, "acp", "--ledger", join(folder, "cold.sqlite")];
// The first start fills the cache of compiled code, as the first start of an installed version does.
process.env.TOOLGATE_CODE_CACHE = join(folder, "code");
const [, firstEver] = await coldStart(acp);
const starts = { bare: [], toolgate: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  starts.bare.push(await coldStart([child("bare-agent")]));
  starts.toolgate.push(await coldStart(acp));
}
for (const [index, until] of ["initialize", "session/new"].entries()) {
  const [bare, ours] = [starts.bare, starts.toolgate].map((times) => median(times.map((row) => row[index])));
  console.log(
    `cold start, spawn to ${until}: bare ${bare.toFixed(0)} ms, toolgate acp ${ours.toFixed(0)} ms, ${(ours / bare).toFixed(2)} times`,
  );
}
console.log(`the first start of all, without compiled code, to session/new: ${firstEver.toFixed(0)} ms`);

/** Megabytes, the given seconds after a session was opened. */
const MOMENTS = [5, 20];

async function idle(args) {
  const client = await new BareClient(args).open();
  await client.request("session/new", { cwd: folder, mcpServers: [] });
  const opened = performance.now();
  const sizes = [];
  for (const seconds of MOMENTS) {
    await new Promise((resolve) => setTimeout(resolve, opened + seconds * 1000 - performance.now()));
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${client.pid}/status`, "utf8")) ?? [];
    sizes.push(Number(kilobytes) / 1024);
  }
  await client.leave();
  return sizes;
}

const [bareSizes, ourSizes] = await Promise.all([idle([child("bare-agent")]), idle(acp)]);
for (const [index, seconds] of MOMENTS.entries()) {
  const [bareSize, ourSize] = [bareSizes[index], ourSizes[index]];
  console.log(
    `idle, ${seconds} s after session/new: bare ${bareSize.toFixed(0)} MB, toolgate acp ${ourSize.toFixed(0)} MB, ${(ourSize - bareSize).toFixed(0)} MB more`,
  );
}
rmSync(folder, { recursive: true });
