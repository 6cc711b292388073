/**
 * A shell command with everything it starts, as one process group.
 *
 * It has no terminal and an empty stdin, so it cannot wait for an answer that never comes. The signal ends
 * the whole group: SIGTERM first, SIGKILL for what is still there after a while. What moves itself into
 * a session of its own (a daemon) is out of reach. What the command leaves running in the background
 * when it exits by itself stays, but its output is no longer listened to.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate, setTimeout } from "node:timers/promises";
import { errorCode } from "./error-code.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit } from "./workspace.js";

const TERM_PATIENCE_MS = 2000;
const REST_PATIENCE_MS = 500;

type CommandOptions = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
};

type Child = ChildProcessByStdio<null, Readable, Readable>;

export async function runCommand(command: string, options: CommandOptions): Promise<CommandExit> {
  const { signal, onOutput } = options;
  signal.throwIfAborted();
  const child = start(command, options);
  let ending: Promise<void> | undefined;
  const end = () => {
    if (child.pid !== undefined) ending ??= endGroup(child.pid);
  };
  const listener = listen(child, onOutput, end);
  signal.addEventListener("abort", end, { once: true });
  try {
    const exit = await exitOf(child);
    await ending;
    await restOfOutput(listener.ended);
    // The signal may have come while the rest was awaited.
    await ending;
    listener.throwIfFailed();
    return exit;
  } finally {
    signal.removeEventListener("abort", end);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function start(command: string, { cwd, env }: CommandOptions): Child {
  try {
    return spawn("/bin/sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    // Too long for the system, or with a NUL in it.
    throw notStarted(error);
  }
}

function exitOf(child: Child): Promise<CommandExit> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(error)));
    child.once("exit", (exitCode, signal) => {
      resolve(exitCode === null ? { signal: signal ?? "SIGKILL" } : { exitCode });
    });
  });
}

function notStarted(error: unknown): ToolFailure {
  const why = errorCode(error) ?? String(error);
  return new ToolFailure(
    `The command could not be started (${why}). Nothing was run. Try a shorter or another command.`,
  );
}

/** Hands on what both streams bring, in the order in which it comes. */
function listen(child: Child, onOutput: (text: string) => void, stop: () => void) {
  let failure: { readonly error: unknown } | undefined;
  const print = (text: string) => {
    if (text === "" || failure) return;
    try {
      onOutput(text);
    } catch (error) {
      // Thrown from here it would end our process; the command's output has nowhere to go any more.
      failure = { error };
      stop();
    }
  };
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    stream.on("data", (bytes: Buffer) => print(decoder.write(bytes)));
    stream.once("close", () => print(decoder.end()));
    // A broken pipe ends the stream like any other end.
    stream.on("error", () => undefined);
  }
  return {
    ended: new Promise<void>((resolve) => child.once("close", () => resolve())),
    throwIfFailed() {
      if (failure) throw failure.error;
    },
  };
}

/** A background process may hold the pipes open for ever, so the wait has an end. */
async function restOfOutput(ended: Promise<void>): Promise<void> {
  const enough = new AbortController();
  const patience = setTimeout(REST_PATIENCE_MS, undefined, { signal: enough.signal }).then(
    // Timers come before reads: when our process was busy for long, what waits in the pipes is read first.
    () => setImmediate(),
    () => undefined,
  );
  await Promise.race([ended, patience]);
  enough.abort();
}

async function endGroup(pid: number): Promise<void> {
  signalGroup(pid, "SIGTERM");
  const deadline = performance.now() + TERM_PATIENCE_MS;
  while (performance.now() < deadline) {
    await setTimeout(20);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, "SIGKILL");
}

/** False when nothing of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: someone is there, but runs as another user.
    return errorCode(error) === "EPERM";
  }
}
