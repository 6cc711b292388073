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
import { until } from "./until.js";

const ESCAPES = join(import.meta.dirname, "fixtures/sandbox/escapes.sh");
const LIMITS = join(import.meta.dirname, "fixtures/sandbox/limits.sh");
const CHILD = childProgram("sandbox-escapes.mjs");
const LURKER = join(import.meta.dirname, "fixtures/sandbox/lurker.cjs");
const STAYING = childProgram("staying-escapes.mjs");

const HOME_FILES = {
  ".ssh/id_ed25519": "PRIVATE",
  ".aws/credentials": "secret",
  ".git-credentials": "token",
  ".gitconfig":
    "[user]\n\tname = Ann\n\temail = ann@example.com\n[http]\n\textraHeader = token\n[core]\n\thooksPath = person-hooks\n",
  ".npmrc": "token",
  ".cargo/credentials.toml": "token",
  ".cargo/config.toml": "[net]\n",
  ".m2/settings.xml": "password",
  ".m2/settings-work.xml": "password",
  ".gradle/gradle.properties": "password",
  ".gradle/develocity/keys.properties": "password",
  ".nvm/versions/node/v22.1.0/etc/npmrc": "token",
  ".pyenv/versions/3.12.1/pip.conf": "password",
  ".config/gh/hosts.yml": "token",
  ".bash_history": "typed",
  ".netrc": "password",
  ".local/share/uv/credentials/credentials.toml": "token",
  "go/src/other/notes.txt": "secret",
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
  "person-hooks/pre-commit": "#!/bin/sh\n",
  "shared.gitconfig": "[core]\n\thooksPath = shared/hooks\n\thooksPath = .git/own-hooks\n",
  "shared/hooks/pre-commit": "#!/bin/sh\n",
  "linked-from/tasks.json": "{}",
  "linked-from/merge.sh": "#!/bin/sh\n",
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
  symlinkSync("../linked-from/tasks.json", join(ws, ".vscode/tasks.json"));
  for (const repository of [ws, join(ws, "vendor/lib")]) {
    mkdirSync(repository, { recursive: true });
    spawnSync("git", ["init", "-q", repository]);
  }
  symlinkSync("../../linked-from/merge.sh", join(ws, ".git/hooks/post-merge"));
  spawnSync("git", ["-C", ws, "config", "core.hooksPath", "tools/hooks"]);
  spawnSync("git", ["-C", ws, "config", "include.path", "../shared.gitconfig"]);
  const own = {
    "own-hooks/post-merge": "#!/bin/sh\n",
    "included/config": "[core]\n",
    "lazygit.yml": "gui: {}\n",
  };
  put(join(ws, ".git"), own);
  spawnSync("git", ["-C", ws, "config", "--add", "include.path", "included/config"]);
  // A worktree in the workspace of a repository outside.
  const main = join(home, "main");
  put(main, { a: "other" });
  const author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  spawnSync("git", ["init", "-q", main]);
  spawnSync("git", ["-C", main, "add", "."]);
  spawnSync("git", ["-C", main, ...author, "commit", "-qm", "one"]);
  spawnSync("git", ["-C", main, "worktree", "add", "-q", join(ws, "linked")]);
  spawnSync("mkfifo", [join(ws, "pipe")]);
  const overNetwork = await listening(createServer().listen(0, "127.0.0.1"));
  const services = await Promise.all([
    listening(createServer().listen(join(ws, "service.sock"))),
    listening(createServer().listen(`\0${base}`)),
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

type StayingReport = {
  readonly hits: readonly string[];
  readonly ownKind: readonly string[];
  readonly notes: readonly string[];
  readonly seen: number;
};

type Report = {
  readonly tried: readonly string[];
  readonly out: readonly string[];
  readonly notes: readonly string[];
};

function tryAll(
  machine: Awaited<ReturnType<typeof aMachine>>,
  user: User,
  how: "contained" | "staying" | "joining" | "free",
  file = ESCAPES,
): Promise<Report> {
  const { ws, state } = machine;
  return reportOf(startAs(machine, user, [CHILD, ws, state, file, how]));
}

/** The JSON that the program prints. */
function reportOf<Printed>(child: ReturnType<typeof startAs>): Promise<Printed> {
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (bytes) => (stdout += bytes));
    child.stderr.on("data", (bytes) => (stderr += bytes));
    child.once("close", (code) =>
      code === 0 ? resolve(JSON.parse(stdout)) : reject(new Error(`exit ${code}: ${stderr}`)),
    );
  });
}

/** Starts a program of Node as the user. */
function startAs(
  { base, home, out, port }: Awaited<ReturnType<typeof aMachine>>,
  { uid }: User,
  file: readonly string[],
) {
  // Descriptor 40 is a folder outside: terminals, editors and `flock` leave such ones open.
  const words = ["bash", "-c", 'exec 40<"$OUT" && exec "$@"', "bash", process.execPath, ...file];
  const [program = "", ...args] = ROOT
    ? ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", ...words]
    : words;
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    OUT: out,
    PORT: String(port),
    BASE: base,
    CANARY_OUTSIDE: "1",
    XDG_STATE_HOME: join(home, ".local/state"),
  };
  return spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
}

const WAYS = [
  ["of the sandbox", "contained"],
  ["of a sandbox that stays", "staying"],
  // The same words but for the network: the self-test tries them at every change.
  ...(process.env["TOOLGATE_LONG"] === "1" ? ([["of one that reaches it", "joining"]] as const) : []),
] as const;

/** Thousands of processes and a gigabyte take their time. */
const LIMITED = process.env["TOOLGATE_LONG"] === "1" ? USERS : [];

test.each(LIMITED)("a command takes no more than its share of the machine, for $name", async (user) => {
  const { tried, out } = await tryAll(await aMachine(user), user, "contained", LIMITS);
  expect([tried.length, out]).toEqual([3, []]);
});

for (const user of USERS) {
  test.each(WAYS)(`no listed way leads out %s for ${user.name}`, async (_, how) => {
    const machine = await aMachine(user);
    const { tried, out } = await tryAll(machine, user, how);
    expect(out).toEqual([]);
    expect(tried.length).toBeGreaterThan(60);
    // The workspace is as it was, but for the files that the tries themselves may make.
    for (const [name, text] of Object.entries(WORKSPACE_FILES))
      expect(readFileSync(join(machine.ws, name), "utf8")).toBe(text);
    expect(readdirSync(machine.out)).toEqual(["file"]);
    expect(readdirSync(join(machine.ws, ".git"))).not.toContain("commondir");
    expect(readdirSync(join(machine.home, "main"))).toEqual([".git", "a"]);
  });

  test(`the listed ways work without a sandbox for ${user.name}`, async () => {
    const machine = await aMachine(user);
    const { tried, out } = await tryAll(machine, user, "free");
    expect(tried.filter((name) => !out.includes(name))).toEqual([]);
  });

  test(`a server that stays gets nothing of the commands that join it, for ${user.name}`, async () => {
    const machine = await aMachine(user);
    const { ws, state, base } = machine;
    mkdirSync(join(ws, "dist"));
    writeFileSync(join(ws, "lurker.cjs"), readFileSync(LURKER));
    if (ROOT) spawnSync("chown", ["-R", `${user.uid}:${user.uid}`, ws]);
    const scratch = join(base, "home/scratch");
    const report = await reportOf<StayingReport>(
      startAs(machine, user, [STAYING, ws, state, "lurker.cjs", scratch]),
    );
    expect(report).toMatchObject({ hits: [], reached: 0, fromOther: 9, killed: 0, inTheWay: false });
    expect(report.notes.join()).toContain("dist/sub/.envrc was moved to");
    expect(report.ownKind).toEqual(["a variable of a command that joined"]);
    expect(report.seen).toBeGreaterThan(10);
    expect(readFileSync(join(ws, "AGENTS.md"), "utf8")).toBe("Be kind.\n");
  });

  test(`a server that stays ends when Toolgate is killed, for ${user.name}`, async () => {
    const machine = await aMachine(user);
    const mark = String(Math.floor(Math.random() * 1e6) + 1e6);
    const scratch = join(machine.base, "home/scratch");
    const child = startAs(machine, user, [STAYING, machine.ws, machine.state, "none", scratch, mark]);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const left = () => commandLines().filter((line) => line.includes(mark) && !line.includes(STAYING));
    expect(left()).not.toEqual([]);
    child.kill("SIGKILL");
    await until(() => left().length === 0);
  });
}

/** The command lines of all processes. */
function commandLines(): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") : [];
    } catch {
      return [];
    }
  });
}
