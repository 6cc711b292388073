/** The built program and the cache of its compiled code. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folder } from "./agent-kit.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A copy of the program, whose files the test may change, with a home of its own. */
async function installed() {
  const home = await folder();
  const program = join(home, "package");
  mkdirSync(join(program, "dist"), { recursive: true });
  cpSync(join(root, "dist", "cli"), join(program, "dist", "cli"), { recursive: true });
  cpSync(join(root, "package.json"), join(program, "package.json"));
  const { TOOLGATE_CODE_CACHE: _shared, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, XDG_STATE_HOME: join(home, "state") };
  const chunk = (name: string) => {
    const file = readdirSync(join(program, "dist", "cli")).find((one) => one.startsWith(`${name}-`)) ?? "";
    return join(program, "dist", "cli", file);
  };
  return {
    state: join(home, "state", "toolgate"),
    cache: join(home, "state", "toolgate", "code-cache"),
    chunk,
    run: (words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
      execFileSync(process.execPath, [join(program, "dist", "cli", "main.js"), ...words], {
        env: { ...env, ...more },
        encoding: "utf8",
      }),
  };
}

test("caches its code in its state folder, where that exists, and never runs the code of an older text", async () => {
  const { state, cache, chunk, run } = await installed();
  const help = run(["--help"]);
  expect(existsSync(state), "no folder that nobody asked for").toBe(false);

  mkdirSync(state, { recursive: true });
  expect(run(["--help"])).toBe(help);
  expect(readdirSync(cache)).toContain("program.code");
  const written = statSync(join(cache, "program.code")).mtimeMs;
  expect(run(["--help"])).toBe(help);
  expect(statSync(join(cache, "program.code")).mtimeMs, "not written again").toBe(written);

  // As after an update: the same names, other texts of the same length.
  const text = readFileSync(chunk("program"), "latin1");
  expect(text).toContain("Usage:");
  writeFileSync(chunk("program"), text.replaceAll("Usage:", "USAGE:"), "latin1");
  expect(run(["--help"])).toBe(help.replaceAll("Usage:", "USAGE:"));

  for (const name of readdirSync(cache)) writeFileSync(join(cache, name), "not code");
  expect(run(["--help"])).toBe(help.replaceAll("Usage:", "USAGE:"));
});

test("works with other flags of V8, and leaves the cache alone when Node's own switch turns caches off", async () => {
  const { state, cache, run } = await installed();
  mkdirSync(state, { recursive: true });
  const version = run(["--version"]);
  expect(run(["--version"], { NODE_OPTIONS: "--interpreted-frames-native-stack" })).toBe(version);
  expect(run(["--version"])).toBe(version);
  const files = readdirSync(cache).map((name) => statSync(join(cache, name)).mtimeMs);
  expect(run(["--version"], { NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(version);
  expect(readdirSync(cache).map((name) => statSync(join(cache, name)).mtimeMs)).toEqual(files);
});

test("runs its chunks as strict code, each in one byte a character", async () => {
  const names = readdirSync(join(root, "dist", "cli")).filter((name) => name.endsWith(".cjs"));
  expect(names).toContain("start.cjs");
  for (const name of names) {
    const bytes = readFileSync(join(root, "dist", "cli", name));
    expect(
      bytes.findIndex((byte) => byte > 127),
      name,
    ).toBe(-1);
    expect(bytes.toString("latin1", 0, 200), name).toContain('{"use strict";');
  }
});

test("opens a session without the code that reads commands and checks files", async () => {
  const home = await folder();
  const cache = join(home, "code");
  const agent = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), "acp", "--no-contain"], {
    env: { ...process.env, HOME: home, XDG_STATE_HOME: join(home, "state"), TOOLGATE_CODE_CACHE: cache },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const request = (id: number, method: string, params: object) =>
    agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  request(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  request(2, "session/new", { cwd: home, mcpServers: [] });
  for await (const line of createInterface(agent.stdout)) if (line.includes('"sessionId"')) break;
  agent.stdin.end();
  await once(agent, "exit");
  const run = readdirSync(cache);
  expect(run).toContain("session.code");
  for (const name of ["shell.code", "programs.code", "schemas.code", "policy.code"])
    expect(run).not.toContain(name);
});
