/** Undo of commands of an ordinary user that took the right to write from folders: root has it anyway. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { allowAll, openGate } from "../src/run/index.js";
import { ForwardingWorkspace } from "../src/tools/forwarding-workspace.js";
import { builtInTools, LocalWorkspace, openKeeper, ToolFailure } from "../src/tools/index.js";
import type { Files } from "../src/tools/index.js";
import { git } from "../src/tools/git/repository.samples.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { wholeTree } from "./kept-tree.js";
import { until } from "./until.js";

const isRoot = process.getuid?.() === 0;
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/** `closed`: a folder that is read-only before the command. */
async function aRepository(closed: string | undefined) {
  const base = await folder();
  const [root, kept] = [join(base, "work"), join(base, "kept")];
  for (const path of [kept, join(root, "d/e")]) mkdirSync(path, { recursive: true });
  for (const path of ["a", "d/b", "d/e/c"]) writeFileSync(join(root, path), "1\n");
  writeFileSync(join(root, ".gitignore"), "build/\n");
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
  if (closed !== undefined) chmodSync(join(root, closed), 0o555);
  return { base, root, kept };
}

/** Returns what was left; throws with the message of a refused undo. */
function undone({ base, root, kept }: Awaited<ReturnType<typeof aRepository>>, command: string): unknown {
  const words = [process.execPath, childProgram("undone-command.mjs"), root, kept, command];
  const [program = "", ...args] = isRoot ? [...AS_NOBODY, ...words] : words;
  if (isRoot) execFileSync("chown", ["-R", "65534:65534", base]);
  const env = { PATH: process.env["PATH"], HOME: base, XDG_STATE_HOME: base, XDG_CONFIG_HOME: base };
  try {
    return JSON.parse(execFileSync(program, args, { env, encoding: "utf8", cwd: root, stdio: "pipe" }));
  } finally {
    if (isRoot) execFileSync("chown", ["-R", "0:0", base]);
  }
}

const MANY = "for i in $(seq 300); do echo > build/in/$i; done";

test("says that nothing was touched when a folder belongs to somebody else", async () => {
  if (!isRoot) return;
  const repository = await aRepository(undefined);
  const { root, kept, base } = repository;
  execFileSync("chown", ["-R", "65534:65534", base]);
  // The undo waits until the folder is somebody else's.
  const command = "echo b >> a; echo z > d/b";
  const words = [process.execPath, childProgram("undone-command.mjs"), root, kept, command, `${base}/go`];
  const [program = "", ...args] = [...AS_NOBODY, ...words];
  const running = spawn(program, args, { cwd: root, stdio: "pipe" });
  let said = "";
  running.stderr.on("data", (bytes) => void (said += String(bytes)));
  await until(() => existsSync(`${base}/go.ready`));
  execFileSync("chown", ["0:0", join(root, "d")]);
  chmodSync(join(root, "d"), 0o555);
  const before = wholeTree(root);
  writeFileSync(`${base}/go`, "");
  await once(running, "exit");
  expect(said).toMatch(/d\/b cannot be changed: permission denied \(EPERM\)\. No file was touched\./);
  expect(wholeTree(root)).toEqual(before);
});

/** Its disk fails at the first write after the command. */
class FailingOnce extends ForwardingWorkspace {
  isFailing = false;

  override async write(...given: Parameters<Files["write"]>): Promise<void> {
    if (!this.isFailing) return super.write(...given);
    this.isFailing = false;
    const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    throw new ToolFailure("It cannot be written. Nothing was changed.", { cause: full });
  }
}

test("says what is not back yet when an undo fails half-way, and a second one goes on", async () => {
  const { root, kept } = await aRepository("d");
  const keeper = openKeeper({ folder: kept });
  const workspace = new FailingOnce(await LocalWorkspace.open(root, { keeper }));
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace,
    tools: builtInTools,
    policy: () => ({ rules: [], default: "allow" }),
    ask: allowAll,
  });
  onTestFinished(() => gate.close());
  const before = wholeTree(root);
  const command = "chmod 755 d; echo x > new; rm -r d/e; echo z > d/b; chmod 500 d";
  const { toolCallId } = await gate.call({ name: "terminal", input: { command } });
  workspace.isFailing = true;
  const failed = await gate.undo(toolCallId).catch((error: unknown) => error);
  expect(String(failed)).toContain(`${root}/d/b could not be put back: the disk is full (ENOSPC).`);
  expect(String(failed)).not.toMatch(/Nothing was changed|No file was touched/);
  expect(existsSync(join(root, "new"))).toBe(false);
  await gate.undo(toolCallId);
  expect(wholeTree(root)).toEqual(before);
});

test.each([
  ["a folder, and a file in it", undefined, "echo z > d/b; echo b >> a; chmod 555 d"],
  ["a folder within a folder", undefined, "echo z > d/e/c; echo b >> a; chmod 555 d/e d"],
  ["a folder that was read-only", "d", "chmod u+w d; echo z > d/b; echo b >> a; chmod 555 d"],
  ["a read-only folder that is gone now", "d", "chmod u+w d; rm -r d; echo b >> a"],
  ["a new folder", undefined, "mkdir out; echo x > out/f; chmod 555 out; echo b >> a"],
  ["new folders within a new one", undefined, "mkdir -p out/in; echo > out/in/f; chmod 555 out/in out"],
  ["a new folder that nobody can look into", undefined, "mkdir out; chmod 0 out; echo b >> a"],
  ["a new folder of many ignored files", undefined, `mkdir -p build/in; ${MANY}; chmod 555 build/in build`],
  ["a new repository", undefined, "git init -q new; chmod 555 new/.git/refs new/.git new"],
  ["the workspace", undefined, "echo b >> a; echo x > new; chmod 555 ."],
  ["the workspace, which was read-only", ".", "echo b >> a; chmod u+w .; rm d/b; chmod 555 ."],
])("undoes all of a command that made %s read-only", async (_, closed, command) => {
  const repository = await aRepository(closed);
  const before = wholeTree(repository.root);
  const left = undone(repository, command);
  expect(wholeTree(repository.root)).toEqual(before);
  expect(left).toEqual(/chmod 0/.test(command) ? [`${repository.root}/out/`] : []);
});
