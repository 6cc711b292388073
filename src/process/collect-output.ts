/** Runs a program to its end, with bytes as its stdin, and returns its whole stdout, up to a limit. */
import { startChildWithStdin } from "./child.js";
import type { Argv, ChildExit, ChildOptions } from "./child.js";
import { settlesWithin } from "./settles-within.js";
import { TailBuffer } from "./tail-buffer.js";

/** Enough for a program's answer to a short question. */
const MAX_BYTES = 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

export type CollectOptions = ChildOptions & {
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  readonly maxBytes?: number;
};

export type CollectedOutput = {
  readonly exit: ChildExit;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** The program was ended because of a limit. */
  readonly exceeded?: "time" | "bytes";
};

/** Rejects when the program cannot be started. A program that exceeds a limit is killed, with its tree. */
export async function collectOutput(argv: Argv, options: CollectOptions): Promise<CollectedOutput> {
  const { stdin, timeoutMs, maxBytes = MAX_BYTES, ...child } = options;
  const program = startChildWithStdin(argv, child);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stderr = new TailBuffer(MAX_ERROR_BYTES);
  const tooMuch = new Promise<void>((resolve) => {
    program.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) resolve();
      else chunks.push(chunk);
    });
  });
  program.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
  await program.started;
  program.stdin.end(stdin);
  const isSettled = await settlesWithin(Promise.race([program.closed, tooMuch]), timeoutMs);
  const exceeded = bytes > maxBytes ? "bytes" : isSettled ? undefined : "time";
  if (exceeded === undefined) program.tree?.release();
  else {
    await program.tree?.end({ graceMs: 0 });
    program.closePipes();
  }
  return {
    exit: await program.exit,
    stdout: Buffer.concat(chunks),
    stderr: stderr.text,
    ...(exceeded !== undefined && { exceeded }),
  };
}
