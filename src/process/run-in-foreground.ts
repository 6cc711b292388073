/** Runs a program that uses our terminal itself: an editor. Ends with the program. */
import { spawn } from "node:child_process";

/** Returns the exit code; undefined after a signal. Throws when the program cannot be started. */
export function runInForeground(argv: readonly [string, ...string[]]): Promise<number | undefined> {
  const [program, ...words] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? undefined));
  });
}
