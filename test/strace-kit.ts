/**
 * The real actions of a program and everything it starts, as strace sees them: the programs it runs and looks for,
 * the files it opens for writing or changes, the addresses it connects to; each with its folder and with the
 * place that it belongs to.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";

export type Seen =
  | { readonly type: "ran"; readonly cwd: string; readonly argv: readonly string[] }
  /** A name that was looked for among the programs, found or not. */
  | { readonly type: "sought"; readonly name: string }
  | { readonly type: "changed"; readonly path: string }
  | { readonly type: "connected"; readonly to: string };

const CHANGES =
  "creat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat truncate chmod fchmodat mknod mknodat";
const CALLS = `execve execveat chdir fchdir clone clone3 fork vfork open openat openat2 stat newfstatat connect ${CHANGES}`;
const CHANGING = new Set(CHANGES.split(" "));

/** Runs the words and writes down what they do. */
export function traced(argv: readonly string[], log: string, env: NodeJS.ProcessEnv): void {
  const names = CALLS.split(" ").map((name) => `?${name}`);
  const options = [
    "-f",
    "--seccomp-bpf",
    "-qq",
    "-xx",
    "-s",
    "8192",
    "-e",
    `trace=${names.join(",")}`,
    "-e",
    "signal=none",
  ];
  const { error } = spawnSync("/usr/bin/strace", [...options, "-o", log, ...argv], {
    stdio: "ignore",
    env,
    timeout: 900_000,
  });
  if (error) throw error;
}

/**
 * The actions, by the name of the folder below `runs` in which they started: the first program that runs in such a
 * folder starts it, and all of its children belong to it. `programs`: the folder of the PATH.
 */
export function seenIn(
  log: string,
  { runs, programs }: { readonly runs: string; readonly programs: string },
) {
  const seen = new Map<string, Seen[]>();
  const processes = new Map<string, Process>();
  /** The calls of children whose parent's call has not come back yet: only then is it known where they started. */
  const early = new Map<string, TracedCall[]>();
  const take = (step: TracedCall): void => {
    const { pid, call, args, result } = step;
    const process = processes.get(pid);
    if (!process) return void early.set(pid, [...(early.get(pid) ?? []), step]);
    if (/^(?:clone3?|v?fork)$/.test(call)) {
      if (!/^\d+$/.test(result)) return;
      processes.set(result, { ...process });
      const waiting = early.get(result) ?? [];
      early.delete(result);
      return waiting.forEach(take);
    }
    const texts = textsIn(args);
    const isDone = !result.startsWith("-1");
    if (call === "chdir" && isDone) process.cwd = posix.resolve(process.cwd, texts[0] ?? "");
    if (call === "execve" && isDone && process.run === undefined && posix.dirname(process.cwd) === runs) {
      process.run = posix.basename(process.cwd);
      return;
    }
    if (process.run === undefined) return;
    const found = seenBy(call, { args, texts, isDone, cwd: process.cwd, programs });
    if (found) seen.set(process.run, [...(seen.get(process.run) ?? []), found]);
  };
  for (const step of callsIn(readFileSync(log, "latin1"))) {
    if (processes.size === 0) processes.set(step.pid, { cwd: "/", run: undefined });
    take(step);
  }
  return seen;
}

type TracedCall = {
  readonly pid: string;
  readonly call: string;
  readonly args: string;
  readonly result: string;
};

type Process = { cwd: string; run: string | undefined };

type Call = {
  readonly args: string;
  readonly texts: readonly string[];
  readonly isDone: boolean;
  readonly cwd: string;
  readonly programs: string;
};

function seenBy(call: string, { args, texts, isDone, cwd, programs }: Call): Seen | undefined {
  const [path = "", ...words] = texts;
  const isSought = posix.dirname(path) === programs;
  if (call === "execve" && isDone) return { type: "ran", cwd, argv: words };
  if (isSought && /^(?:execve|stat|newfstatat)$/.test(call))
    return { type: "sought", name: posix.basename(path) };
  // The C library asks there for the names of users.
  if (call === "connect") return path.endsWith("/nscd/socket") ? undefined : { type: "connected", to: args };
  if (!isDone) return undefined;
  const opens = call.startsWith("open") && /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(args);
  return opens || CHANGING.has(call) ? { type: "changed", path: posix.resolve(cwd, path) } : undefined;
}

/** Each finished call, also one whose line was broken off by another process. */
function* callsIn(log: string): Generator<TracedCall> {
  const unfinished = new Map<string, string>();
  for (const line of log.split("\n")) {
    const { pid, text } = /^(?<pid>\d+) +(?<text>.*)$/.exec(line)?.groups ?? {};
    if (pid === undefined || text === undefined) continue;
    const cut = /^(?<start>.*) <unfinished \.\.\.>$/.exec(text)?.groups?.["start"];
    if (cut !== undefined) {
      unfinished.set(pid, cut);
      continue;
    }
    const rest = /^<\.\.\. \w+ resumed>(?<rest>.*)$/.exec(text)?.groups?.["rest"];
    const whole = rest === undefined ? text : `${unfinished.get(pid) ?? ""}${rest}`;
    const { call, args, result } = /^(?<call>\w+)\((?<args>.*)\) += (?<result>.*)$/.exec(whole)?.groups ?? {};
    if (call !== undefined && args !== undefined && result !== undefined) yield { pid, call, args, result };
  }
}

const textsIn = (args: string): readonly string[] =>
  [...args.matchAll(/"(?<hex>(?:\\x[\da-f]{2})*)"/g)].map(({ groups }) =>
    Buffer.from((groups?.["hex"] ?? "").replaceAll("\\x", ""), "hex").toString("utf8"),
  );
