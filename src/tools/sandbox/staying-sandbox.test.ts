import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { collectOutput } from "../../process/index.js";
import { LocalWorkspace } from "../local-workspace.js";
import { placesOf, sessionWorkspace } from "../scratch/session-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import type { Workspace } from "../workspace.js";
import { openSandbox } from "./sandbox.js";

const SERVER = `require("node:http").createServer((_, answer) => answer.end("served " + process.pid)).listen(4321, "127.0.0.1")`;
const GET = `fetch("http://127.0.0.1:4321").then((answer) => answer.text()).then(console.log, () => console.log("refused"))`;

/** Two sessions in one workspace. */
async function sessions() {
  const { root } = await aWorkspace({ "a.txt": "inside", ".env": "SECRET=1", "src/server.js": SERVER });
  await collectOutput(["git", "init", "-q", root], { env: process.env, timeoutMs: 10_000 });
  const sandbox = await openSandbox();
  const local = await LocalWorkspace.open(root, { containing: sandbox });
  const session = async () => {
    const workspace = await sessionWorkspace(local, `session_${randomUUID()}`);
    onTestFinished(() => workspace.release?.());
    return { workspace, run: runIn(workspace), staying: () => placesOf(workspace).staying };
  };
  return { root, one: await session(), other: await session() };
}

const runIn =
  (workspace: Workspace) =>
  async (command: string, { stays = false, logs = [] as readonly string[] } = {}) => {
    let output = "";
    const contained = { guards: [], logs, ...(stays && { stays: true as const }) };
    const exit = await workspace.runCommand(command, {
      signal: new AbortController().signal,
      onOutput: (text) => void (output += text),
      contained,
    });
    return { ...exit, output: output.trim() };
  };

const WAIT = { timeout: 50_000, interval: 10 };
const STAYS = { stays: true };

test("a server goes on after its command, is reached by commands of its session alone, and is stopped by one", async () => {
  const { one, other } = await sessions();
  const outside = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void outside.close());
  await once(outside, "listening");
  const { port } = outside.address() as AddressInfo;
  expect(one.staying()).toMatchObject({ isRunning: false });
  expect(one.staying()?.isOutside(port)).toBe(true);
  expect(one.staying()).toBe(one.staying());
  const started = await one.run("node src/server.js > /dev/null 2>&1 & echo $!", STAYS);
  expect(started.exitCode).toBe(0);
  await vi.waitUntil(async () => (await one.run(`node -e '${GET}'`)).output.startsWith("served"), WAIT);
  expect(await one.run(`node -e '${GET}'`)).toEqual({ exitCode: 0, output: `served ${started.output}` });
  expect((await other.run(`node -e '${GET}'`)).output).toBe("refused");
  expect(await fetch("http://127.0.0.1:4321").catch(() => "refused")).toBe("refused");
  expect([one.staying()?.isRunning, other.staying()?.isRunning]).toEqual([true, false]);
  expect((await one.run(`kill ${started.output} && echo stopped`, STAYS)).output).toBe("stopped");
  await vi.waitUntil(() => one.staying()?.isRunning === false, WAIT);
  expect((await one.run(`node -e '${GET}'`)).output).toBe("refused");
}, 60_000);

test("a command that stays writes build folders, and none that may be a person's own unless git ignores it", async () => {
  const files = {
    "bin/deploy": "mine",
    "site/a.md": "mine",
    "out/a": "",
    "ui/build/a": "",
    "node_modules/a": "",
  };
  const { root } = await aWorkspace({ ...files, ".gitignore": "/out/\nbuild\n!bin\n" });
  await collectOutput(["git", "init", "-q", root], { env: process.env, timeoutMs: 10_000 });
  const local = await LocalWorkspace.open(root, { containing: await openSandbox() });
  const workspace = await sessionWorkspace(local, `session_${randomUUID()}`);
  onTestFinished(() => workspace.release?.());
  const text = `for name in ${Object.keys(files).join(" ")}; do echo evil 2>/dev/null >$name && echo $name; done; true`;
  expect((await runIn(workspace)(text, STAYS)).output.split("\n")).toEqual([
    "out/a",
    "ui/build/a",
    "node_modules/a",
  ]);
  symlinkSync("site", join(root, "linked"));
  const names = ["new.log", "site/a.md", "site/b.md", "linked/c.md"];
  const writing = `for name in ${names.join(" ")}; do echo evil 2>/dev/null >$name && echo $name; done; true`;
  const logs = names.filter((name) => name !== "site/b.md").map((name) => join(root, name));
  // Again: its own file may be written once more.
  for (let round = 0; round < 2; round += 1)
    expect((await runIn(workspace)(writing, { stays: true, logs })).output).toBe("new.log");
}, 60_000);
