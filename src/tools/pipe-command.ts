/** A command without a terminal: an empty stdin, and both of its outputs read as they come. */
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { notStarted } from "./started-command.js";
import type { StartedCommand, StartOptions } from "./started-command.js";
import type { CommandExit } from "./workspace.js";

export function startWithPipes(argv: readonly string[], options: StartOptions): StartedCommand {
  const [program = "", ...words] = argv;
  const child = spawnOf(program, words, options);
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    stream.on("data", (bytes: Buffer) => options.print(decoder.write(bytes)));
    stream.once("close", () => options.print(decoder.end()));
    // A broken pipe ends the stream like any other end.
    stream.on("error", () => undefined);
  }
  return {
    pid: child.pid,
    exit: new Promise<CommandExit>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(program, error)));
      child.once("exit", (exitCode, signal) => {
        resolve(exitCode === null ? { signal: signal ?? "SIGKILL" } : { exitCode });
      });
    }),
    silent: new Promise<void>((resolve) => child.once("close", () => resolve())),
    close() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

function spawnOf(program: string, words: readonly string[], { cwd, env }: StartOptions) {
  try {
    // Detached: it leads a session and a process group of its own.
    return spawn(program, words, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    // Too long for the system, or with a NUL in it.
    throw notStarted(program, error);
  }
}
