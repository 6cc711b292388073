/** `toolgate serve` as a process of its own: its token, its flags, its end, and what it takes when much happens. */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { say, send, TOKEN, turn } from "./aap-http-kit.js";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";
import { filesIn, startServing } from "./start-serving.js";
import { until } from "./until.js";

const HELLO: readonly ScriptStep[] = [{ say: "Hello." }];
const MEGABYTE = 1024 * 1024;
const isLong = process.env["TOOLGATE_LONG"] !== undefined;
const IDLE = isLong ? 1_000 : 100;
const TURNS = isLong ? 2_000 : 80;

const wordsFor = (cwd: string, args: readonly string[]) => ["serve", "--port", "0", "--cwd", cwd, ...args];

const serve = (cwd: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  startServing(cwd, wordsFor(cwd, args), { env });

const place = (steps: readonly ScriptStep[] = HELLO) => folder({ "script.json": JSON.stringify({ steps }) });

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe("the command", () => {
  test("makes a token that only its owner can read, shows it once, keeps it, and reports how it ended", async () => {
    const cwd = await place();
    const first = await serve(cwd);
    const file = join(cwd, "settings", "token");
    const token = (await readFile(file, "utf8")).trim();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const sessions = (url: string, given: string) => send(url, { path: "/sessions", headers: bearer(given) });
    expect((await sessions(first.url, "wrong")).status).toBe(401);
    expect((await sessions(first.url, token)).status).toBe(200);
    expect(await first.stop("SIGTERM")).toBe(143);
    const second = await serve(cwd);
    expect((await sessions(second.url, token)).status).toBe(200);
    expect(await second.stop("SIGINT")).toBe(0);
    expect(first.output.stderr.split(token)).toHaveLength(2);
    expect([first.output.stdout, second.output.stdout, second.output.stderr].join("")).not.toContain(token);
  });

  test.each<[string, number, RegExp, readonly string[], NodeJS.ProcessEnv]>([
    [
      "an address that others reach",
      1,
      /Others could reach 0\.0\.0\.0.*--tls-cert/,
      ["--host", "0.0.0.0"],
      {},
    ],
    ["a certificate without its key", 1, /belong together/, ["--tls-cert", "x.pem"], {}],
    ["a page of no site", 1, /"\*" is no origin/, ["--allow-origin", "*"], {}],
    ["a token that can be guessed", 1, /TOOLGATE_TOKEN must be 16 to 512/, [], { TOOLGATE_TOKEN: "hunter2" }],
    ["a port that cannot be", 2, /from 0 to 65535/, ["--port", "65536"], {}],
  ])("does not serve for %s", async (_, code, words, args, env) => {
    const cwd = await place();
    const own = { ...process.env, TOOLGATE_CONFIG: join(cwd, "settings"), TOOLGATE_TOKEN: TOKEN, ...env };
    const { status, stdout, stderr } = await runHere([...wordsFor(cwd, args), ...filesIn(cwd)], {
      cwd,
      env: own,
    });
    expect(status).toBe(code);
    expect(stderr).toMatch(words);
    expect(stdout).toBe("");
  });

  test("shows no token when its port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    // A server that listens on a port has an address with one.
    const { port } = other.address() as AddressInfo;
    const { ended, output } = await serve(await place(), ["--port", String(port)]);
    expect(await ended).toBe(1);
    expect(output).toEqual({
      stdout: "",
      stderr: `toolgate: Port ${port} is in use by another program. Nothing was started; try --port 0 for a free one.\n`,
    });
  });

  test("serves beyond this machine when a flag says that a proxy guards it", async () => {
    const { url } = await serve(await place(), ["--host", "0.0.0.0", "--insecure-listen"], {
      TOOLGATE_TOKEN: TOKEN,
    });
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    const here = url.replace("0.0.0.0", "127.0.0.1");
    expect((await send(here, { path: "/sessions", headers: {} })).status).toBe(401);
    expect((await send(here, { path: "/meta", headers: { Host: "evil.example" } })).status).toBe(421);
  });

  test("writes no token into its log, wherever a client puts it", async () => {
    const cwd = await place();
    const log = join(cwd, "log.ndjson");
    const { url, stop } = await serve(cwd, ["--log", log], { TOOLGATE_TOKEN: TOKEN, TOOLGATE_LOG: "debug" });
    await send(url, { path: `/sessions?token=${TOKEN}`, headers: {} });
    await send(url, { path: `/${TOKEN}` });
    const made = await send(url, {
      method: "POST",
      path: "/sessions",
      body: { agent: { name: "toolgate" } },
    });
    await turn(url, String(JSON.parse(made.text).sessionId), say("Hello"));
    await stop("SIGTERM");
    const written = await readFile(log, "utf8");
    expect(written).toContain("turn ended");
    expect(written).not.toContain(TOKEN);
  });
});

test("a session that is deleted in the middle of a command is gone, and so is all that it started", async () => {
  const command = "sleep 1000 & echo $! >> pids; echo $$ >> pids; wait";
  const cwd = await place([{ calls: [{ tool: "terminal", input: { command } }] }, ...HELLO]);
  const { url } = await serve(cwd, [], { TOOLGATE_TOKEN: TOKEN });
  const body = { agent: { name: "toolgate", tools: [{ name: "terminal" }] } };
  const path = `/sessions/${JSON.parse((await send(url, { method: "POST", path: "/sessions", body })).text).sessionId}`;
  await send(url, { method: "POST", path: `${path}/turns`, body: say("Go") });
  const messages = [{ role: "tool_permission", toolCallId: "call_1", granted: true }];
  const streamed = send(url, { method: "POST", path: `${path}/turns`, body: { stream: "delta", messages } });
  const pids = async () => (await readFile(join(cwd, "pids"), "utf8").catch(() => "")).trim().split("\n");
  await until(async () => (await pids()).length === 2);
  const began = performance.now();
  expect((await send(url, { method: "DELETE", path })).status).toBe(204);
  const isAlive = (pid: string) => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(statusOf(pid));
  const started = await pids();
  await until(() => !started.some(isAlive));
  // The promise is two seconds.
  expect(performance.now() - began).toBeLessThan(20_000);
  expect((await streamed).text.match(/^event: turn_stop$/gm)).toHaveLength(1);
  for (const rest of ["", "/history?type=full", "/turns", "/events"])
    expect((await send(url, { path: `${path}${rest}` })).status).toBe(404);
  expect(JSON.parse((await send(url, { path: "/sessions" })).text)).toEqual({ sessions: [] });
  expect(JSON.parse((await send(url, { path: "/questions" })).text)).toEqual({ questions: [] });
});

const statusOf = (pid: string | number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // The process ended between two checks.
    return "State:\tZ";
  }
};

describe("much at once", () => {
  const memory = (pid: number): number =>
    1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  const files = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

  async function newSession(url: string): Promise<string> {
    const made = await send(url, {
      method: "POST",
      path: "/sessions",
      body: { agent: { name: "toolgate" } },
    });
    expect(made.status, made.text).toBe(201);
    return String(JSON.parse(made.text).sessionId);
  }

  /** `count` times, a few at a time. */
  async function times(count: number, doIt: (index: number) => Promise<void>): Promise<void> {
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < count; index = next++) await doIt(index);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  }

  test(`${IDLE} idle sessions take little memory, and one more is made at once`, async () => {
    const { url, pid } = await serve(await place(), [], { TOOLGATE_TOKEN: TOKEN });
    await times(IDLE, async () => {
      const { text } = await turn(url, await newSession(url), say("Hello"));
      expect(JSON.parse(text).stopReason).toBe("end_turn");
    });
    // The promise is 512 MB for a thousand, of which the program itself takes a fifth.
    // On a busy machine, garbage of the turns is collected later than their ends.
    await until(
      () => memory(pid) < (100 + 0.4 * IDLE) * MEGABYTE,
      () => `${memory(pid)} bytes`,
    );
    const began = performance.now();
    await newSession(url);
    // The promise is a tenth of a second.
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("turn after turn, streamed and not, leaves neither memory nor files behind", async () => {
    const { url, pid } = await serve(
      await place([{ calls: [{ tool: "read_file", input: { path: "script.json" } }] }, ...HELLO]),
      [],
      {
        TOOLGATE_TOKEN: TOKEN,
      },
    );
    const work = async (index: number) => {
      const sessionId = await newSession(url);
      const mode = (["delta", "message", "none"] as const)[index % 3];
      expect((await turn(url, sessionId, say("Hello", mode))).status).toBe(200);
      if (index % 2 === 0) await send(url, { method: "DELETE", path: `/sessions/${sessionId}` });
    };
    await times(TURNS / 2, work);
    const before = { memory: memory(pid), files: files(pid) };
    await times(TURNS, work);
    // An hour at 50 calls a second may take one MiB a minute: these are seconds of that, and what a heap breathes.
    expect(memory(pid) - before.memory).toBeLessThan(48 * MEGABYTE);
    await until(() => files(pid) <= before.files + 2);
  });
});
