/** Reads a person's answers from the terminal when the prompt came through a pipe. */
import { openSync } from "node:fs";
import { ReadStream } from "node:tty";

/** Returns the function that lets the terminal go; until then it keeps the process alive. */
export function answerAtTerminal(): () => void {
  if (!process.stdout.isTTY) return () => undefined;
  try {
    const terminal = new ReadStream(openSync("/dev/tty", "r"));
    // The pipe has ended: later readers of stdin read the terminal.
    Object.defineProperty(process, "stdin", { value: terminal, configurable: true });
    return () => void terminal.destroy();
  } catch {
    // The process has no terminal of its own, so nobody can be asked.
    return () => undefined;
  }
}
