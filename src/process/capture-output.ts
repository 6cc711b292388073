/** Runs a program to its end and returns its exit and the end of its output. */
import { startChild } from "./child.js";
import type { Argv, ChildExit, ChildOptions } from "./child.js";
import { settlesWithin } from "./settles-within.js";
import { TailBuffer } from "./tail-buffer.js";

const MAX_BYTES = 64 * 1024;

export type CapturedOutput = { readonly exit: ChildExit; readonly stdout: string; readonly stderr: string };

/** Rejects when the program cannot be started. A program that exceeds its time is killed, with its tree. */
export async function captureOutput(
  argv: Argv,
  { timeoutMs, ...options }: ChildOptions & { readonly timeoutMs: number },
): Promise<CapturedOutput> {
  const child = startChild(argv, options);
  const stdout = new TailBuffer(MAX_BYTES);
  const stderr = new TailBuffer(MAX_BYTES);
  child.stdout.on("data", (bytes: Buffer) => stdout.add(bytes));
  child.stderr.on("data", (bytes: Buffer) => stderr.add(bytes));
  await child.started;
  if (await settlesWithin(child.closed, timeoutMs)) child.tree?.release();
  else {
    await child.tree?.end({ graceMs: 0 });
    child.closePipes();
  }
  return { exit: await child.exit, stdout: stdout.text, stderr: stderr.text };
}
