/**
 * Ways out of the sandbox, tried for real: as the user that runs the tests and, where that is root, as an ordinary one
 * too. Each way is shown to work without a sandbox first, where that harms nothing.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { childProgram } from "./child-programs.js";

const ESCAPES = join(import.meta.dirname, "fixtures/sandbox/escapes.sh");
const CHILD = childProgram("sandbox-escapes.mjs");

const HOME_FILES = {
  ".ssh/id_ed25519": "PRIVATE",
  ".aws/credentials": "secret",
  ".git-credentials": "token",
  ".gitconfig": "[user]\n\tname = Ann\n\temail = ann@example.com\n[http]\n\textraHeader = token\n",
  ".npmrc": "token",
  ".cargo/credentials.toml": "token",
  ".cargo/config.toml": "[net]\n",
  ".m2/settings.xml": "password",
  ".gradle/gradle.properties": "password",
  ".config/gh/hosts.yml": "token",
  ".bash_history": "typed",
  ".netrc": "password",
};

const WORKSPACE_FILES = {
  ".env": "SECRET=1",
  "packages/a/.env.local": "SECRET=2",
  "packages/a/.npmrc": "registry=https://example.com\n",
  "keys/id_rsa": "PRIVATE",
  ".vscode/settings.json": "{}",
  ".github/workflows/ci.yml": "on: push\n",
  "AGENTS.md": "Be kind.\n",
  "src/a.ts": "export const a = 1;\n",
  "tools/hooks/pre-commit": "#!/bin/sh\n",
};

type User = { readonly name: string; readonly uid: number };
const ROOT = process.getuid?.() === 0;
const USERS: readonly User[] = ROOT
  ? [
      { name: "root", uid: 0 },
      { name: "an ordinary user", uid: 65_534 },
    ]
  : [{ name: "the user of the tests", uid: process.getuid?.() ?? 0 }];

/** A home, a workspace in it with a repository, a folder outside, and services that listen. */
async function aMachine({ uid }: User) {
  const base = mkdtempSync(join(tmpdir(), "toolgate-escapes-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, out] = [join(base, "home"), join(base, "out")];
  const ws = join(home, "project");
  const put = (folder: string, files: { readonly [name: string]: string }) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  put(home, HOME_FILES);
  put(ws, WORKSPACE_FILES);
  put(out, { file: "outside" });
  symlinkSync("AGENTS.md", join(ws, "CLAUDE.md"));
  for (const repository of [ws, join(ws, "vendor/lib")]) {
    mkdirSync(repository, { recursive: true });
    spawnSync("git", ["init", "-q", repository]);
  }
  spawnSync("git", ["-C", ws, "config", "core.hooksPath", "tools/hooks"]);
  spawnSync("mkfifo", [join(ws, "pipe")]);
  const overNetwork = await listening(createServer().listen(0, "127.0.0.1"));
  const services = await Promise.all([
    listening(createServer().listen(join(ws, "service.sock"))),
    listening(createServer().listen("\0toolgate-escape")),
  ]);
  const reader = spawn("sh", ["-c", `exec cat <>"${join(ws, "pipe")}"`], { stdio: "ignore" });
  onTestFinished(() => {
    reader.kill("SIGKILL");
    for (const service of [overNetwork, ...services]) service.close();
  });
  chmodSync(base, 0o755);
  if (ROOT) spawnSync("chown", ["-R", `${uid}:${uid}`, base]);
  if (ROOT) chownSync(join(ws, "service.sock"), uid, uid);
  // A TCP server's address has a port.
  const { port } = overNetwork.address() as AddressInfo;
  return { base, home, out, ws, port, state: join(home, ".local/state/toolgate/sandbox") };
}

function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => server.once("listening", () => resolve(server)));
}

type Report = {
  readonly tried: readonly string[];
  readonly out: readonly string[];
  readonly notes: readonly string[];
};

function tryAll(
  machine: Awaited<ReturnType<typeof aMachine>>,
  { uid }: User,
  how: "contained" | "free",
  file = ESCAPES,
): Promise<Report> {
  const { home, out, ws, port, state } = machine;
  const words = [process.execPath, CHILD, ws, state, file, how];
  const [program = "", ...args] = ROOT
    ? ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", ...words]
    : words;
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    OUT: out,
    PORT: String(port),
    CANARY_OUTSIDE: "1",
    XDG_STATE_HOME: join(home, ".local/state"),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (bytes) => (stdout += bytes));
    child.stderr.on("data", (bytes) => (stderr += bytes));
    child.once("close", (code) =>
      code === 0 ? resolve(JSON.parse(stdout)) : reject(new Error(`exit ${code}: ${stderr}`)),
    );
  });
}

for (const user of USERS) {
  test(`no listed way leads out of the sandbox for ${user.name}`, async () => {
    const machine = await aMachine(user);
    const { tried, out } = await tryAll(machine, user, "contained");
    expect(out).toEqual([]);
    expect(tried.length).toBeGreaterThan(60);
    // The workspace is as it was, but for the files that the tries themselves may make.
    for (const [name, text] of Object.entries(WORKSPACE_FILES))
      expect(readFileSync(join(machine.ws, name), "utf8")).toBe(text);
    expect(readdirSync(machine.out)).toEqual(["file"]);
    expect(readdirSync(join(machine.ws, ".git"))).not.toContain("commondir");
  });

  test(`the listed ways work without a sandbox for ${user.name}`, async () => {
    const machine = await aMachine(user);
    const { tried, out } = await tryAll(machine, user, "free");
    expect(tried.filter((name) => !out.includes(name))).toEqual([]);
  });
}
