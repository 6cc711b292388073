/**
 * Marks by which all processes of a tree are found, wherever they moved.
 *
 * Every process inherits both marks: a variable of the environment, and a soft limit of the resident set size. Linux
 * does not enforce that limit (since 2.4.30), and the mark is far above any memory, so the limit changes nothing. A
 * program may clear its environment and leave its session and its parent, as daemons do; it still has the limit.
 * Invariant: a mark belongs to one tree and is never used again.
 */
import { spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { CallProcess } from "../call/index.js";
import type { Argv, ChildOptions } from "./child.js";

const MARK_NAME = "TOOLGATE_COMMAND";
const MIN_LIMIT_BYTES = 2 ** 52;
const MAX_RANDOM = 2 ** 48 - 1;
const TRIAL_TIMEOUT_MS = 2_000;

/** `mark`: a word in the value of the variable; `limitBytes`: the soft limit, where it can be set. */
export type TreeMark = Pick<CallProcess, "mark" | "limitBytes">;

export function newMark(): TreeMark {
  return {
    mark: randomBytes(12).toString("hex"),
    ...(limitProgram() !== undefined && { limitBytes: MIN_LIMIT_BYTES + randomInt(MAX_RANDOM) }),
  };
}

/** A tree inside of another tree has the words of both. */
export function markedEnv(env: NodeJS.ProcessEnv, { mark }: TreeMark): NodeJS.ProcessEnv {
  return { ...env, [MARK_NAME]: [process.env[MARK_NAME], mark].join(" ").trim() };
}

/**
 * The argv that sets the limit and then becomes the program: same pid, same exit. A program that the system would not
 * start stays as it is, so that the system reports why.
 */
export function markedArgv(argv: Argv, options: ChildOptions, { limitBytes }: TreeMark): Argv {
  const program = limitProgram();
  if (program === undefined || limitBytes === undefined || !isFound(argv[0], options)) return argv;
  return [program, `--rss=${limitBytes}:`, "--", ...argv];
}

// Not PATH: that often leads through the project, where an agent could put a program of this name.
const LIMIT_PROGRAMS = ["/usr/bin/prlimit", "/bin/prlimit", "/run/current-system/sw/bin/prlimit"];
let knownLimitProgram: { readonly path: string | undefined } | undefined;

/** The program that sets a limit (util-linux); undefined where there is none, or where the limit cannot be set. */
function limitProgram(): string | undefined {
  knownLimitProgram ??= { path: mayLimit() ? LIMIT_PROGRAMS.find(setsLimits) : undefined };
  return knownLimitProgram.path;
}

/** A container may forbid the system call. Tried once, because a program that cannot set the limit does not start. */
function setsLimits(path: string): boolean {
  if (!isProgram(path)) return false;
  const args = [`--rss=${MIN_LIMIT_BYTES}:`, "--", "/bin/sh", "-c", ":"];
  return spawnSync(path, args, { stdio: "ignore", timeout: TRIAL_TIMEOUT_MS }).status === 0;
}

function mayLimit(): boolean {
  if (process.platform !== "linux") return false;
  try {
    return /^Max resident set +\S+ +unlimited /m.test(readFileSync("/proc/self/limits", "latin1"));
  } catch {
    return false;
  }
}

/** Whether the system will find the program: by its path, or in the PATH of its own environment. */
function isFound(program: string, { cwd = ".", env }: ChildOptions): boolean {
  const inside = (folder: string) => (isAbsolute(folder) ? folder : join(cwd, folder));
  if (program.includes("/")) return isProgram(inside(program));
  return (env["PATH"] ?? "/bin:/usr/bin")
    .split(":")
    .some((folder) => isProgram(join(inside(folder), program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
