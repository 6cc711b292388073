import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { collectOutput } from "../../process/index.js";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { holdBack } from "./hold-back.js";
import { openSandbox } from "./sandbox.js";

const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
const sandbox = await openSandbox({ folder });

/** Does the work outside while a command is contained. Returns what the command's result says. */
async function meanwhile(root: string, work: () => Promise<void>, command = "true"): Promise<string> {
  const workspace = await LocalWorkspace.open(root, { sandbox });
  let output = "";
  const running = workspace.runCommand(`touch began; until [ -e go ]; do sleep 0.02; done; ${command}`, {
    signal: new AbortController().signal,
    onOutput: (text) => void (output += text),
  });
  await expect.poll(() => readdirSync(root), { timeout: 20_000 }).toContain("began");
  await work();
  writeFileSync(join(root, "go"), "");
  await running;
  return output;
}

/** A program whose socket lies in a folder that its own list of sockets does not name. */
async function relativeServer(root: string) {
  const text = `require("net").createServer().listen("near.sock", () => console.log("listening"))`;
  const child = spawn(process.execPath, ["-e", text], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => resolve(socket.end() !== undefined));
    socket.on("error", () => resolve(false));
  });

test("leaves sockets alone that a program outside has bound, and keeps others", async () => {
  const { root } = await aWorkspace({});
  const server = createServer();
  onTestFinished(() => void server.close());
  const output = await meanwhile(root, async () => {
    const dead = await relativeServer(root);
    dead.kill("SIGKILL");
    await once(dead, "close");
    await collectOutput(["mv", "near.sock", "dead.sock"], { cwd: root, env: process.env, timeoutMs: 60_000 });
    await relativeServer(root);
    server.listen(join(root, "dev.sock"));
    await once(server, "listening");
  });
  expect(await answers(join(root, "dev.sock"))).toBe(true);
  expect(await answers(join(root, "near.sock"))).toBe(true);
  expect(existsSync(join(root, "dead.sock"))).toBe(false);
  expect(output.match(/held a change back/g)).toHaveLength(1);
  const moved = /dead\.sock was moved to (?<to>\S+),/.exec(output)?.groups?.["to"] ?? "";
  expect(statSync(moved).isSocket()).toBe(true);
});

test("says of what was held back that somebody else may have made it, and how to move it back", async () => {
  const { root } = await aWorkspace({ ".devcontainer/a": "", "a b/c": "" });
  const outside = (...words: readonly [string, ...string[]]) =>
    collectOutput(words, { cwd: root, env: process.env, timeoutMs: 60_000 });
  await outside("git", "init", "-q");
  await outside(
    "git",
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b.c",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "x",
  );
  const output = await meanwhile(root, async () => {
    // No command can write there.
    writeFileSync(join(root, ".devcontainer/.env"), "MINE=1");
    await outside("git", "worktree", "add", "-q", "../wt", "-b", "w");
    writeFileSync(join(root, "a b/CLAUDE.md"), "mine");
  });
  expect(existsSync(join(root, ".devcontainer/.env"))).toBe(true);
  expect(output).toContain("the command, or somebody else meanwhile, made a protected name");
  for (const back of output.matchAll(/move it back: (?<words>mv .*)\]/g))
    expect((await outside("sh", "-c", back.groups?.["words"] ?? "")).stderr).toBe("");
  expect(existsSync(join(root, "a b/CLAUDE.md"))).toBe(true);
  expect((await outside("git", "-C", "../wt", "status", "--short")).stderr).toBe("");
});

test("moves a folder with a device in it to another disk", async () => {
  const { root } = await aWorkspace({ ".vscode/a": "a" });
  // Only root makes devices, and a device of zeros has no end.
  if (process.getuid?.() !== 0 || !existsSync("/dev/shm")) return;
  const kept = mkdtempSync("/dev/shm/toolgate-");
  onTestFinished(() => rmSync(kept, { recursive: true }));
  const path = join(root, ".vscode");
  mkdirSync(join(path, "b"));
  chmodSync(join(path, "b"), 0o755);
  await collectOutput(["mknod", join(path, "b/zero"), "c", "1", "5"], {
    env: process.env,
    timeoutMs: 60_000,
  });
  const found = new Map([[path, { type: "protected", path, isFolder: true, isSecret: false } as const]]);
  expect(holdBack(new Map(), found, kept)[0]).toContain(`${path} was moved to ${kept}`);
  expect(readdirSync(root)).not.toContain(".vscode");
});
