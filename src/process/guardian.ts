/**
 * Ends the trees that our process leaves when it is killed and can do nothing itself.
 *
 * One small process guards all trees of ours: a shell that waits at a pipe (`guardian-script.ts`). The system closes the
 * pipe when our process is gone, whatever ended it; then the guardian kills the trees that were not released. The
 * guardian is in a session of its own, so that a signal to our process group does not reach it. Invariant: a tree is guarded before
 * its first process is started. Windows has no such shell: there only an orderly exit ends the trees.
 */
import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { CallProcess } from "../call/index.js";
import { GUARDIAN_SCRIPT } from "./guardian-script.js";
import type { TreeMark } from "./tree-mark.js";

const SHELL = "/bin/sh";

/** The guarded trees by their words, each with the rest of its line. */
const guarded = new Map<string, string>();
let pipe: Writable | undefined;

/** To be called before the tree is started, and again when its first process is known. */
export function guardTree(tree: TreeMark | CallProcess): void {
  if (process.platform === "win32") return;
  const { mark: word, limitBytes = 0 } = tree;
  const { pid, startTick } = "pid" in tree ? tree : { pid: 0, startTick: 0 };
  const line = `${limitBytes} ${pid} ${startTick}`;
  guarded.set(word, line);
  if (pipe) send(`+ ${word} ${line}`);
  else startGuardian();
}

export function releaseTree({ mark: word }: TreeMark): void {
  if (guarded.delete(word)) send(`- ${word}`);
}

function send(line: string): void {
  pipe?.write(`${line}\n`);
}

function startGuardian(): void {
  const guardian = spawn(SHELL, ["-c", GUARDIAN_SCRIPT, "toolgate-guardian"], {
    // Not the caller's PATH, which may lead through the project, and no mark of a tree that we are in.
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // The system may have no process or descriptor left. The next start tries again.
  guardian.on("error", () => (pipe = undefined));
  if (guardian.pid === undefined) return;
  pipe = guardian.stdin;
  pipe.on("error", () => undefined);
  guardian.once("exit", () => {
    pipe = undefined;
    // Somebody killed it.
    if (guarded.size > 0 && guardian.exitCode !== 0) startGuardian();
  });
  // Our process does not wait for it.
  guardian.unref();
  if ("unref" in guardian.stdin && typeof guardian.stdin.unref === "function") guardian.stdin.unref();
  for (const [word, line] of guarded) send(`+ ${word} ${line}`);
}
