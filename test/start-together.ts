import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/**
 * Starts Node programs that each print "ready" and wait for the end of their input, lets them all go on once the
 * last one is ready, and returns what each prints afterwards.
 */
export async function startTogether(programs: readonly (readonly string[])[]): Promise<readonly string[]> {
  const started = programs.map((words) => {
    const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.startsWith("ready\n")) resolve();
      });
      child.once("exit", (code) =>
        reject(new Error(`${words.join(" ")} ended with ${code} before it was ready`)),
      );
    });
    const closed = once(child, "close");
    return { ready, go: () => child.stdin.end(), output: closed.then(() => output.slice("ready\n".length)) };
  });
  await Promise.all(started.map(({ ready }) => ready));
  for (const { go } of started) go();
  return Promise.all(started.map(({ output }) => output));
}
