/** The built program, told to end while its MCP servers are still starting: none of them is left behind. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { fingerprint } from "../src/mcp/fingerprint.js";
import { readServer } from "../src/mcp/config.js";
import { openConnection } from "../src/mcp/connection.js";
import { McpServers } from "../src/mcp/index.js";
import { atHome } from "./cli-kit.js";

const HELLO = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const TOKEN = { TOOLGATE_TOKEN: "a".repeat(40) };

describe("told to end while its servers are starting", () => {
  test.each([
    ["run", "SIGTERM", 143],
    ["run", "SIGINT", 130],
    ["run", "SIGHUP", 129],
    ["serve", "SIGTERM", 143],
    ["acp", "SIGTERM", 143],
  ] as const)("%s ends them with itself (%s)", async (command, signal, status) => {
    const { start, pids } = await withSlowServer();
    const { program, ended, output } = start(command);
    await until(() => pids().length > 0);
    program.kill(signal);
    const end = await ended;
    expect(pids().filter(isAlive)).toEqual([]);
    expect(end).toEqual({ status, signal: null });
    expect(output()).not.toMatch(/Done|Serving/);
  });

  test("run ends also one that will not", async () => {
    const { start, pids } = await withSlowServer("stubborn");
    const { program, ended } = start("run");
    await until(() => pids().length > 0);
    program.kill("SIGTERM");
    expect(await ended).toEqual({ status: 143, signal: null });
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test.each(["run", "acp"] as const)("%s leaves at the second signal, and they end too", async (command) => {
    const { start, pids } = await withSlowServer();
    const { program, ended } = start(command);
    await until(() => pids().length > 0);
    program.kill("SIGTERM");
    program.kill("SIGTERM");
    expect(await ended).toEqual({ status: 143, signal: null });
    await until(() => !pids().some(isAlive));
  });
});

test("run that has not begun its turn yet ends the servers that are up, and then itself", async () => {
  const { start, pids, home } = await withSlowServer("quick");
  // A script that nobody writes: it is read for as long as we hold it.
  const script = join(home, "endless.json");
  execFileSync("mkfifo", [script]);
  const held = openSync(script, "r+");
  const { program, ended } = start("run", ["--script", script]);
  await until(() => pids().length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  program.kill("SIGTERM");
  await until(() => !pids().some(isAlive));
  closeSync(held);
  expect(await ended).toEqual({ status: 143, signal: null });
});

test("serve that cannot begin ends, and with it the servers that were up", async () => {
  const { start, pids } = await withSlowServer("quick");
  const { ended } = start("serve", ["--model", "anthropic/none"]);
  expect(await ended).toEqual({ status: 1, signal: null });
  expect(pids()).toHaveLength(1);
  expect(pids().filter(isAlive)).toEqual([]);
});

test("a server that does not answer in time is ended", async () => {
  const { config, pids, project } = await withSlowServer();
  const opening = openConnection({
    config,
    cwd: project,
    clientInfo: { name: "tester", version: "1" },
    timeout: 500,
    signal: new AbortController().signal,
    prepare: () => undefined,
    onToolsChanged: () => undefined,
  });
  await expect(opening).rejects.toThrow("could not be connected to");
  expect(pids()).toHaveLength(1);
  expect(pids().filter(isAlive)).toEqual([]);
});

test("a start that is told to end ends what it has started", async () => {
  const { config, pids, project } = await withSlowServer();
  const stop = new AbortController();
  const starting = McpServers.start(
    { slow: config },
    { approve: async () => true, cwd: project, signal: stop.signal },
  );
  await until(() => pids().length > 0);
  stop.abort(new Error("enough"));
  await expect(starting).rejects.toThrow("enough");
  expect(pids().filter(isAlive)).toEqual([]);
});

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const slowServer = fileURLToPath(new URL("children/mcp-slow.mjs", import.meta.url));

/** A home where the slow server is set up and approved. */
async function withSlowServer(behaviour = "") {
  const at = await atHome();
  const notes = join(at.home, "notes");
  writeFileSync(notes, "");
  const config = { command: process.execPath, args: [slowServer, notes, behaviour] };
  const own = { name: "slow", fingerprint: fingerprint(readServer("slow", config), at.project) };
  const servers = [{ ...own, projectRoot: at.project, approvedAt: 1 }];
  writeFileSync(join(at.settings, "mcp.json"), JSON.stringify({ mcpServers: { slow: config } }));
  writeFileSync(join(at.settings, "mcp-servers.json"), JSON.stringify({ version: 1, servers }));
  const pids = () => readFileSync(notes, "utf8").split("\n").filter(Boolean).map(Number);
  onTestFinished(() => {
    for (const pid of pids()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  const start = (command: Command, more: readonly string[] = []) => {
    const script = at.script([{ say: "Done." }]);
    const words = {
      run: ["run", "--script", script, ...more, "go"],
      serve: ["serve", "--port", "0", ...more],
      acp: ["acp", ...more],
    };
    const env = { HOME: at.home, XDG_CONFIG_HOME: join(at.home, "config"), XDG_STATE_HOME: at.home };
    const program = spawn(process.execPath, [main, ...words[command]], {
      cwd: at.project,
      env: { ...process.env, ...env, ...TOKEN },
    });
    onTestFinished(() => void program.kill("SIGKILL"));
    let output = "";
    for (const stream of [program.stdout, program.stderr])
      stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
    if (command === "acp") program.stdin.write(`${JSON.stringify(HELLO)}\n`);
    return { program, ended: endOf(program), output: () => output };
  };
  return { ...at, config, pids, start };
}

type Command = "run" | "serve" | "acp";

const endOf = (program: ChildProcess) =>
  new Promise<{ status: number | null; signal: string | null }>((resolve) => {
    program.once("close", (status, signal) => resolve({ status, signal }));
  });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error("it did not happen within 10 seconds");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
