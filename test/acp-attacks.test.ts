/** Hostile lines at the agent's own door: real processes, real pipes. */
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { until } from "./until.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

type Message = { readonly [key: string]: unknown };

/** They end with their test. */
const agents = new Set<Raw>();
afterEach(() => {
  for (const { child } of agents) child.kill("SIGKILL");
  agents.clear();
});

/** The agent as a process, driven with raw bytes. */
class Raw {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: Message[] = [];
  readonly exited: Promise<number | null>;
  #rest = "";

  constructor(cwd: string) {
    const args = ["acp", "--script", join(cwd, "script.json"), "--ledger", join(cwd, "ledger.sqlite")];
    this.child = spawn(process.execPath, [program, ...args], { cwd, stdio: "pipe" });
    agents.add(this);
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.resume();
    this.exited = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    // One that is no JSON fails the test here.
    for (const line of lines) this.messages.push(JSON.parse(line) as Message);
  }

  async write(bytes: string | Buffer): Promise<void> {
    if (!this.child.stdin.write(bytes))
      await new Promise((resolve) => this.child.stdin.once("drain", resolve));
  }

  send(message: object): Promise<void> {
    return this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** The answer to a request of this id; and the connection lives. */
  async answer(id: string | number | null, from = 0): Promise<Message> {
    let found: Message | undefined;
    await until(() => {
      found = this.messages.slice(from).find((message) => message["id"] === id && !("method" in message));
      return found !== undefined;
    });
    return found ?? {};
  }

  async request(id: string | number, method: string, params: object): Promise<Message> {
    await this.send({ id, method, params });
    return this.answer(id);
  }

  async hello(): Promise<this> {
    await this.request("hello", "initialize", { protocolVersion: 1 });
    return this;
  }

  async open(cwd: string): Promise<string> {
    const { result } = await this.request("new", "session/new", { cwd, mcpServers: [] });
    return (result as { sessionId: string }).sessionId;
  }

  /** Whether it still answers. */
  async lives(): Promise<void> {
    const { error } = await this.request(`alive-${this.messages.length}`, "nope/alive", {});
    if ((error as { code?: number } | undefined)?.code !== -32601)
      throw new Error("it does not answer any more");
  }
}

const STEPS: readonly ScriptStep[] = [
  { calls: [{ tool: "terminal", input: { command: "echo ran >> log.txt" } }] },
  { say: "Done." },
];

const project = (steps: readonly ScriptStep[] = STEPS) =>
  folder({ "script.json": JSON.stringify({ steps }) });
const started = async () => new Raw(await project()).hello();

/** One agent for all tests after which the connection lives; the ids of their requests differ. */
let living: Promise<Raw> | undefined;
const startedOnce = async () => {
  const agent = await (living ??= started());
  agents.delete(agent);
  return agent;
};
afterAll(async () => (await living)?.child.kill("SIGKILL"));

const logOf = (cwd: string) => readFile(join(cwd, "log.txt"), "utf8").catch(() => "");
const rss = async (pid: number | undefined) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const REFUSED: readonly (readonly [string, string | Buffer, number])[] = [
  ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n', -32600],
  ["a bare number", "42\n", -32600],
  ["binary garbage", Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x0a]), -32700],
  ["an id that JavaScript would change", '{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}\n', -32600],
  ["an object as id", '{"jsonrpc":"2.0","id":{"a":1},"method":"initialize"}\n', -32600],
  ["a message of another JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"initialize"}\n', -32600],
];

test.each(REFUSED)(
  "%s is answered as an error without an id, and the connection lives",
  async (_name, line, code) => {
    const agent = await startedOnce();
    const from = agent.messages.length;
    await agent.write(line);
    expect(await agent.answer(null, from)).toMatchObject({ id: null, error: { code } });
    await agent.lives();
  },
);

test("ignores blank lines", async () => {
  const agent = await startedOnce();
  const from = agent.messages.length;
  await agent.write("\r\n   \n\n");
  await agent.lives();
  expect(agent.messages.slice(from)).toHaveLength(1);
});

test("a message of 31 MiB is answered", async () => {
  const agent = await started();
  await agent.send({ id: "large", method: "nope/large", params: { text: "x".repeat(31 * 1024 * 1024) } });
  expect(await agent.answer("large")).toMatchObject({ error: { code: -32601 } });
});

test("bounds the memory of a 40 MiB line and answers the next line", async () => {
  const agent = await started();
  const piece = Buffer.alloc(1024 * 1024, "x");
  let most = 0;
  for (let count = 0; count < 40; count++) {
    await agent.write(piece);
    most = Math.max(most, await rss(agent.child.pid));
  }
  await agent.write("\n");
  expect(await agent.answer(null)).toMatchObject({ error: { code: -32600 } });
  await agent.lives();
  expect(most).toBeLessThan(256);
});

test("a raw line break in a text makes two broken lines, and the next valid one is answered", async () => {
  const agent = await startedOnce();
  const from = agent.messages.length;
  await agent.write('{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"line1\nline2"}}\n');
  await agent.lives();
  expect(agent.messages.slice(from, from + 2)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32700 } },
  ]);
});

test("exits at once when the input ends in the middle of a line", async () => {
  const agent = await started();
  const start = Date.now();
  agent.child.stdin.end('{"jsonrpc":"2.0","id":1,"meth');
  expect(await agent.exited).toBe(0);
  // Promised within 2 seconds.
  expect(Date.now() - start).toBeLessThan(20_000);
});

test("a character that is split between two writes is read whole", async () => {
  const cwd = await project();
  const agent = await new Raw(cwd).hello();
  const bytes = Buffer.from(
    `${JSON.stringify({ jsonrpc: "2.0", id: "split", method: "session/new", params: { cwd: "/ü€𝄞", mcpServers: [] } })}\n`,
  );
  for (const byte of bytes) await agent.write(Buffer.from([byte]));
  expect(JSON.stringify(await agent.answer("split"))).toContain("/ü€𝄞");
});

test("ids of another type are other requests, and one that is under way is not started twice", async () => {
  const cwd = await project([{ say: "One." }]);
  const agent = await new Raw(cwd).hello();
  await agent.send({ id: 1, method: "session/new", params: { cwd, mcpServers: [] } });
  await agent.send({ id: "1", method: "session/new", params: { cwd, mcpServers: [] } });
  await agent.send({ id: 1, method: "session/new", params: { cwd, mcpServers: [] } });
  await agent.answer(1);
  await agent.answer("1");
  await until(() => agent.messages.filter(({ id }) => id === 1).length === 2);
  const results = agent.messages.filter(({ id, result }) => (id === 1 || id === "1") && result !== undefined);
  expect(results).toHaveLength(2);
  expect(agent.messages.filter(({ id, error }) => id === 1 && error !== undefined)).toMatchObject([
    { error: { code: -32600 } },
  ]);
});

test("answers nobody asked for and unknown tellings are nothing; unknown methods are refused", async () => {
  const agent = await startedOnce();
  const from = agent.messages.length;
  await agent.send({ id: 77, result: { outcome: { outcome: "selected", optionId: "allow" } } });
  await agent.send({ method: "nope/x" });
  await agent.send({ method: "session/cancel", params: { sessionId: "session_nope" } });
  await agent.send({ method: "session/cancel", params: 7 });
  expect(await agent.request(1, "nope/x", {})).toMatchObject({ error: { code: -32601 } });
  expect(agent.messages.slice(from)).toHaveLength(1);
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "%s is neither a method nor a way to change other objects",
  async (name) => {
    const agent = await startedOnce();
    await agent.write(
      `{"jsonrpc":"2.0","id":"new-${name}","method":"session/new","params":{"${name}":{"polluted":1},"cwd":"/","mcpServers":[{"${name}":{"polluted":1}}]}}\n`,
    );
    await agent.answer(`new-${name}`);
    expect(await agent.request(`call-${name}`, name, {})).toMatchObject({ error: { code: -32601 } });
    await agent.lives();
  },
);

test("refuses everything before initialize", async () => {
  const agent = new Raw(await project());
  expect(await agent.request(1, "session/new", { cwd: "/", mcpServers: [] })).toMatchObject({
    error: { code: -32600 },
  });
  for (const protocolVersion of ["1", -1, 1.5, null])
    expect(await agent.request(`v-${protocolVersion}`, "initialize", { protocolVersion })).toMatchObject({
      error: { code: -32602 },
    });
  expect(await agent.request(2, "initialize", { protocolVersion: 65_535 })).toMatchObject({
    result: { protocolVersion: 1 },
  });
});

test("a yes that comes after the cancel is too late", async () => {
  const cwd = await project();
  const agent = await new Raw(cwd).hello();
  const sessionId = await agent.open(cwd);
  await agent.send({
    id: "turn",
    method: "session/prompt",
    params: { sessionId, prompt: [{ type: "text", text: "go" }] },
  });
  const isQuestion = ({ method }: Message) => method === "session/request_permission";
  await until(() => agent.messages.some(isQuestion));
  const question = agent.messages.find(isQuestion);
  const { options = [] } = (question?.["params"] ?? {}) as { options?: { optionId: string; kind: string }[] };
  await agent.send({ method: "session/cancel", params: { sessionId } });
  const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId;
  await agent.send({ id: question?.["id"], result: { outcome: { outcome: "selected", optionId } } });
  expect(await agent.answer("turn")).toMatchObject({ result: { stopReason: "cancelled" } });
  expect(await logOf(cwd)).toBe("");
  await agent.lives();
});

const isLong = process.env["TOOLGATE_LONG"] !== undefined;
const GONE = Number(process.env["TOOLGATE_TRIALS"] ?? (isLong ? 1000 : 4));

test(
  `a client that is gone during the question has cancelled: nothing runs, ${GONE} times of ${GONE}`,
  async () => {
    const cwd = await project();
    const trial = async (count: number) => {
      const agent = await new Raw(cwd).hello();
      const sessionId = await agent.open(cwd);
      await agent.send({
        id: "turn",
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text: "go" }] },
      });
      await until(() => agent.messages.some(({ method }) => method === "session/request_permission"));
      // Either its input ends, or all of it is gone in one moment.
      agent.child.stdin.end();
      if (count % 2 === 1) agent.child.stdout.destroy();
      await agent.exited;
    };
    const trials = Array.from({ length: GONE }, (_, count) => count);
    for (let next = 0; next < GONE; next += 5) await Promise.all(trials.slice(next, next + 5).map(trial));
    expect(await logOf(cwd)).toBe("");
  },
  Math.max(180_000, GONE * 5_000),
);

test("ends the turn of a client that never reads, with a bounded queue", async () => {
  const turn = (count: number): readonly ScriptStep[] => [
    { calls: [{ tool: "terminal", input: { command: `seq 1 200000; echo ${count} >> log.txt` } }] },
    { say: "x".repeat(10_000) },
  ];
  const cwd = await project([1, 2, 3, 4].flatMap(turn));
  const args = [
    "acp",
    "--script",
    join(cwd, "script.json"),
    "--ledger",
    join(cwd, "ledger.sqlite"),
    "--mode",
    "allow-all",
  ];
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  say({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
  say({ id: 2, method: "session/new", params: { cwd, mcpServers: [] } });
  // The client reads until it has the session, and never again.
  const sessionId = await new Promise<string>((resolve) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const [found] = /session_[\w-]+/.exec(text) ?? [];
      if (found === undefined) return;
      child.stdout.off("data", read);
      child.stdout.pause();
      resolve(found);
    };
    child.stdout.on("data", read);
  });
  for (let id = 10; id < 14; id++)
    say({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "go" }] } });
  await until(async () => (await logOf(cwd)) === "1\n2\n3\n4\n");
  expect(await rss(child.pid)).toBeLessThan(400);
  // The client leaves without having read, and the agent does not wait for it.
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  expect((await stat(join(cwd, "ledger.sqlite"))).size).toBeGreaterThan(0);
});

const LINES = Number(process.env["TOOLGATE_LINES"] ?? (isLong ? 100_000 : 3_000));

const METHODS = `initialize authenticate session/new session/load session/resume session/list session/close
  session/delete session/prompt session/cancel session/set_mode session/set_config_option $/cancel_request
  session/request_permission fs/read_text_file _x`.split(/\s+/);

test(`${LINES} fuzzed lines neither break nor hang it`, async () => {
  const cwd = await project([{ say: "One." }]);
  const agent = await new Raw(cwd).hello();
  const sessionId = await agent.open(cwd);
  const method = fc.constantFrom(...METHODS);
  const param = fc.oneof(
    fc.constantFrom<unknown>(
      sessionId,
      cwd,
      "session_x",
      null,
      [],
      {},
      "",
      [{ type: "text", text: "go" }],
      "ask",
      1,
    ),
    fc.string(),
  );
  const params = fc.dictionary(
    fc.constantFrom(
      "sessionId",
      "cwd",
      "mcpServers",
      "prompt",
      "modeId",
      "configId",
      "value",
      "cursor",
      "requestId",
      "methodId",
    ),
    param,
    { maxKeys: 4 },
  );
  const id = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.constant({}));
  const message = fc
    .record(
      { jsonrpc: fc.constant("2.0"), id, method, params, result: param, error: param },
      { requiredKeys: ["jsonrpc"] },
    )
    .map((one) => JSON.stringify(one));
  const broken = fc
    .tuple(message, fc.nat(), fc.constantFrom("", '"', "}", "\\", "\u0000", "[", "\uFEFF"))
    .map(
      ([text, place, put]) =>
        text.slice(0, place % (text.length + 1)) + put + text.slice((place % (text.length + 1)) + 1),
    );
  const line = fc.oneof({ weight: 3, arbitrary: message }, { weight: 2, arbitrary: broken }, fc.string());
  for (const text of fc.sample(line, LINES)) await agent.write(`${text.replaceAll("\n", " ")}\n`);
  await agent.lives();
  expect(agent.child.exitCode).toBeNull();
});
