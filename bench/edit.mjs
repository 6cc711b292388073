// A one-line edit of a file of 1 KB, 100 KB and 5 MB over ACP, with a ledger in SQLite: from session/prompt to its
// response, with the permission request answered at once. Beside it the bare limit in the same run: read the file,
// replace the line, write it to a new file and rename that. Cold is the first edit of a fresh process (the process has
// answered session/new), warm the median of the ones after it, each in a session of its own. Then the bytes that one
// edit adds to the ledger (the files on disk, after the agent has ended; the second edit, so that the tables exist) and
// that the agent writes to the wire, and the agent's peak memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const ROUNDS = Number(process.env.TOOLGATE_ROUNDS ?? 5);
const WARM_EDITS = 6;
const SIZES = { "1 KB": 1024, "100 KB": 100 * 1024, "5 MB": 5 * 1024 * 1024 };
const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const file = join(folder, "file.txt");
const OLD = "the line that is edited\n";
const NEW = "the line that was edited\n";

/** Lines that all differ, and the one to edit in their middle. */
function textOf(bytes) {
  const lines = [];
  for (let length = 0, line = 0; length + OLD.length < bytes; line += 1) {
    lines.push(`line ${line} of a file with ordinary lines of text\n`);
    length += lines.at(-1).length;
  }
  lines.splice(Math.floor(lines.length / 2), 0, OLD);
  return lines.join("");
}

const script = join(folder, "script.json");
const call = { tool: "edit_file", input: { path: file, oldText: OLD, newText: NEW } };
writeFileSync(script, JSON.stringify({ steps: [{ calls: [call] }, { say: "Done." }] }));

class Agent {
  #process;
  #rest = "";
  #id = 0;
  #waiting = new Map();
  bytes = 0;

  constructor(ledger) {
    const args = [program, "acp", "--ledger", ledger, "--script", script];
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
    this.#process = spawn(process.execPath, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
    this.#process.stdout.setEncoding("utf8").on("data", (text) => this.#read(text));
  }

  async open() {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return this;
  }

  async request(method, params) {
    this.#id += 1;
    const id = this.#id;
    const response = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await response;
    if (error) throw new Error(error.message);
    return result;
  }

  /** Milliseconds of one edit in a new session. */
  async edit(text) {
    writeFileSync(file, text);
    const { sessionId } = await this.request("session/new", { cwd: folder, mcpServers: [] });
    const prompt = [{ type: "text", text: "Edit the line." }];
    const bytes = this.bytes;
    const start = performance.now();
    await this.request("session/prompt", { sessionId, prompt });
    const milliseconds = performance.now() - start;
    const wire = this.bytes - bytes;
    if (!readFileSync(file, "utf8").includes(NEW)) throw new Error("The file was not edited.");
    await this.request("session/close", { sessionId });
    return { milliseconds, wire };
  }

  /** Kilobytes, from Linux; undefined elsewhere. */
  get peak() {
    try {
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.#process.pid}/status`, "utf8"))?.[1]);
    } catch {
      return undefined;
    }
  }

  async end() {
    const ended = once(this.#process, "exit");
    this.#process.stdin.end();
    await ended;
  }

  #send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(text) {
    this.bytes += Buffer.byteLength(text);
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.method === "session/request_permission") this.#allow(message);
      if ("method" in message) continue;
      this.#waiting.get(message.id)?.(message);
    }
  }

  #allow({ id, params }) {
    const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
    this.#send({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId } } });
  }
}

function bareEdit(text) {
  writeFileSync(file, text);
  const start = performance.now();
  const edited = readFileSync(file, "utf8").replace(OLD, NEW);
  writeFileSync(`${file}.new`, edited);
  renameSync(`${file}.new`, file);
  return performance.now() - start;
}

/** The ledger with its write-ahead log and its index. */
function ledgerBytes(ledger) {
  const files = readdirSync(folder).filter((name) => join(folder, name).startsWith(ledger));
  return files.reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0);
}

/** The bytes that the second of two edits adds. */
async function ledgerGrowth(text) {
  const ledger = join(folder, "growth.sqlite");
  const sizes = [];
  for (let edit = 0; edit < 2; edit += 1) {
    const agent = await new Agent(ledger).open();
    // Another text each time: the old content of an earlier edit is already in the ledger.
    await agent.edit(`edit ${edit}\n${text}`);
    await agent.end();
    sizes.push(ledgerBytes(ledger));
  }
  for (const name of readdirSync(folder)) if (name.startsWith("growth")) rmSync(join(folder, name));
  return sizes[1] - sizes[0];
}

async function measured(text) {
  const all = { cold: [], warm: [], coldBare: [], warmBare: [], wire: [], peak: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const agent = await new Agent(join(folder, "edit.sqlite")).open();
    for (let edit = 0; edit <= WARM_EDITS; edit += 1) {
      const kind = edit === 0 ? "cold" : "warm";
      const { milliseconds, wire } = await agent.edit(text);
      all[kind].push(milliseconds);
      all[`${kind}Bare`].push(bareEdit(text));
      all.wire.push(wire);
      if (edit === 0) all.peak.push(agent.peak);
    }
    await agent.end();
  }
  const ledger = await ledgerGrowth(text);
  return {
    ...Object.fromEntries(Object.entries(all).map(([name, values]) => [name, median(values)])),
    ledger,
  };
}

const size = (bytes) =>
  bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

console.log(
  `Edit: one line of a file, asked about and allowed, over ACP with SQLite; ${ROUNDS} fresh processes`,
);
for (const [name, bytes] of Object.entries(SIZES)) {
  const { cold, warm, coldBare, warmBare, wire, peak, ledger } = await measured(textOf(bytes));
  const line = (what, took, bare) =>
    console.log(
      `  ${name.padStart(6)}, ${what}  ${took.toFixed(1).padStart(8)} ms   bare ${bare.toFixed(2).padStart(6)} ms   ratio ${(took / bare).toFixed(1).padStart(6)}`,
    );
  line("cold", cold, coldBare);
  line("warm", warm, warmBare);
  console.log(`          ledger ${size(ledger)}   wire ${size(wire)}   peak memory ${size(peak * 1024)}`);
}
rmSync(folder, { recursive: true, force: true });
