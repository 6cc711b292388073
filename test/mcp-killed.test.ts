/** The built program gets a signal while it waits for its MCP servers: it leaves none of them behind. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { fingerprint } from "../src/mcp/fingerprint.js";
import { readServer } from "../src/mcp/config.js";
import { openConnection } from "../src/mcp/connection.js";
import { McpServers } from "../src/mcp/index.js";
import { childProgram } from "./child-programs.js";
import { atHome } from "./cli-kit.js";
import { atDesk, script } from "./tmux-kit.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";

const HELLO = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
/** From then on a start reports the servers that it waits for. */
const LATE_AFTER_MS = 1_000;
const TOKEN = { TOOLGATE_TOKEN: "a".repeat(40) };

describe("a signal while servers are starting", () => {
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

test("serve exits at the second signal, also with a server that does not end", async () => {
  const { start, pids } = await withSlowServer("quick-stubborn");
  const { program, ended, output } = start("serve");
  await until(() => output().includes("Stop with Ctrl-C."));
  await until(() => pids().length === 1);
  program.kill("SIGINT");
  // The program has taken the first signal when its port is closed; its server still runs.
  await until(() => isClosed(Number(/:(\d+)/.exec(output())?.[1])));
  expect(pids().filter(isAlive)).toHaveLength(1);
  program.kill("SIGINT");
  expect(await ended).toEqual({ status: 130, signal: null });
  await until(() => !pids().some(isAlive));
});

test.each(["run", "serve"] as const)("%s says which servers it waits for", async (command) => {
  const { start } = await withSlowServer();
  const { program, ended, errors } = start(command);
  await until(() => errors() !== "");
  program.kill("SIGTERM");
  await ended;
  const [first] = errors().split("\n");
  expect(first).toBe("toolgate: waiting for the MCP server slow to answer, for 9 s more at most.");
});

test("prints nothing about servers that start quickly", async () => {
  const { start } = await withSlowServer("quick");
  const startedAt = performance.now();
  const { ended, errors } = start("run");
  expect(await ended).toEqual({ status: 0, signal: null });
  // On a busy machine the server may really be late.
  if (performance.now() - startedAt < LATE_AFTER_MS) expect(errors()).toBe("");
});

test("reports slow servers once, without those that failed or may not run", async () => {
  const { config, project } = await withSlowServer();
  const late: unknown[] = [];
  const servers = await McpServers.start(
    { slow: config, second: config, failed: { command: "" }, barred: config },
    {
      approve: async ({ name }) => name !== "barred",
      cwd: project,
      startTimeoutMs: 1500,
      onLate: (...report) => void late.push(report),
    },
  );
  await servers.close();
  expect(late).toEqual([[["slow", "second"], 500]]);
});

const ENDING = "Stopping … press Ctrl-C again to quit now.";

describe("Ctrl-C at a terminal", () => {
  test("reads at once that run is ending while its servers start, and a second time leaves none of them", async () => {
    const { desk, pids } = await atDeskWithServer("stubborn");
    desk.starts("toolgate run --mcp m.json --script s.json go");
    await desk.sees("[y]es, [n]o:");
    desk.types("y");
    await until(() => pids().length > 0);
    desk.presses("C-c");
    expect(await desk.sees(ENDING)).toContain(`\n^C\n${ENDING}\n`);
    desk.presses("C-c");
    expect(await desk.ended()).toBe(130);
    expect(await desk.sees("[130 done]")).toContain(`\n${ENDING}\n^C\n[130 done]$`);
    await until(() => !pids().some(isAlive));
  });

  test("has the prompt on a line of its own also when asked whether a server may start", async () => {
    const { desk } = await atDeskWithServer("stubborn");
    desk.starts("toolgate run --mcp m.json --script s.json go");
    await desk.sees("[y]es, [n]o:");
    desk.presses("C-c");
    expect(await desk.ended()).toBe(130);
    expect(await desk.sees("[130 done]")).toMatch(new RegExp(`:\\s*\n${ENDING}\n\\[130 done`));
  });

  test("a second time, when the turn is cancelled and its servers are ending, leaves at once", async () => {
    const { desk, pids } = await atDeskWithServer("quick-stubborn");
    desk.starts("toolgate run --mcp m.json --mode allow-all --script s.json go");
    await desk.sees("[y]es, [n]o:");
    desk.types("y");
    await desk.sees("(running");
    desk.presses("C-c");
    await desk.sees("Cancelled.");
    desk.presses("C-c");
    expect(await desk.ended()).toBe(130);
    expect(await desk.sees("^C\n[130 done]$")).not.toContain(ENDING);
    await until(() => !pids().some(isAlive));
  });

  test.each(["serve --port 0", "acp --listen 0"])("has %s end its line", async (words) => {
    const { desk } = await atDeskWithServer("quick");
    desk.starts(`toolgate ${words}`);
    await desk.sees("Stop with Ctrl-C.");
    desk.presses("C-c");
    expect(await desk.ended()).toBe(0);
    expect(await desk.sees("[0 done]", 2)).toContain(`\n^C\n${ENDING}\n[0 done]$`);
  });
});

test("run ends its servers and itself when its turn has not started yet", async () => {
  const { start, pids, home } = await withSlowServer("quick");
  // A script that nobody writes: it is read for as long as we hold it.
  const endless = join(home, "endless.json");
  execFileSync("mkfifo", [endless]);
  const held = openSync(endless, "r+");
  const { program, ended } = start("run", ["--script", endless]);
  await until(() => pids().length > 0 && hasOpen(program.pid ?? 0, endless));
  program.kill("SIGTERM");
  await until(() => !pids().some(isAlive));
  closeSync(held);
  expect(await ended).toEqual({ status: 143, signal: null });
});

test("ends serve and its servers when serve cannot start", async () => {
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

test("a start whose listener throws ends what it has started", async () => {
  const { config, pids, project } = await withSlowServer();
  const onLate = () => {
    throw new Error("not now");
  };
  const starting = McpServers.start({ slow: config }, { approve: async () => true, cwd: project, onLate });
  await expect(starting).rejects.toThrow("not now");
  expect(pids()).toHaveLength(1);
  expect(pids().filter(isAlive)).toEqual([]);
});

test("ends the started servers when the start is aborted", async () => {
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
const slowServer = childProgram("mcp-slow.mjs");

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
  const pids = pidsIn(notes);
  const start = (command: Command, more: readonly string[] = []) => {
    const file = at.script([{ say: "Done." }]);
    const words = {
      run: ["run", "--script", file, ...more, "go"],
      serve: ["serve", "--port", "0", ...more],
      acp: ["acp", ...more],
    };
    const env = { HOME: at.home, XDG_CONFIG_HOME: join(at.home, "config"), XDG_STATE_HOME: at.home };
    const program = spawn(process.execPath, [main, ...words[command]], {
      cwd: at.project,
      env: { ...process.env, ...env, ...TOKEN },
    });
    onTestFinished(() => void program.kill("SIGKILL"));
    let [output, errors] = ["", ""];
    for (const stream of [program.stdout, program.stderr])
      stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
    program.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
    if (command === "acp") program.stdin.write(`${JSON.stringify(HELLO)}\n`);
    return { program, ended: endOf(program), output: () => output, errors: () => errors };
  };
  return { ...at, config, pids, start };
}

/** A terminal in a folder with the server in `m.json`, and a script that runs a command for long. */
async function atDeskWithServer(behaviour: string) {
  const long = { tool: "terminal", input: { command: "sleep 60" } };
  const desk = await atDesk({ files: { "s.json": script([{ calls: [long] }, { say: "No." }]) } });
  const notes = join(desk.home, "notes");
  writeFileSync(notes, "");
  const slow = { command: process.execPath, args: [slowServer, notes, behaviour] };
  writeFileSync(join(desk.project, "m.json"), JSON.stringify({ mcpServers: { slow } }));
  return { desk, pids: pidsIn(notes) };
}

/** The processes that noted themselves there, which end with the test at the latest. */
function pidsIn(notes: string): () => readonly number[] {
  const pids = () => readFileSync(notes, "utf8").split("\n").filter(Boolean).map(Number);
  onTestFinished(() => {
    for (const pid of pids()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return pids;
}

function isClosed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(false));
    socket.on("error", () => resolve(true)).on("connect", () => socket.destroy());
  });
}

/** Whether the process has the file open. */
function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === file;
    } catch {
      // Closed since it was listed.
      return false;
    }
  });
}

type Command = "run" | "serve" | "acp";

const endOf = (program: ChildProcess) =>
  new Promise<{ status: number | null; signal: string | null }>((resolve) => {
    program.once("close", (status, signal) => resolve({ status, signal }));
  });
