/** Starts the built program as a server in a process of its own, which is killed when the test ends. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { until } from "./until.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export type Serving = {
  /** Empty when the process has ended without serving. */
  readonly url: string;
  readonly pid: number;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** The exit code; null when a signal ended the process. */
  readonly ended: Promise<number | null>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
};

export const filesIn = (cwd: string, ledger = join(cwd, "ledger.sqlite")): readonly string[] => [
  "--script",
  join(cwd, "script.json"),
  "--ledger",
  ledger,
];

/**
 * Returns when the process serves, or has ended. The folder has the model's script; the settings and, unless `ledger`
 * names another, the ledger are in it too.
 */
export async function startServing(
  cwd: string,
  words: readonly string[],
  { ledger, env = {} }: { readonly ledger?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Serving> {
  const { TOOLGATE_TOKEN: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [program, ...words, ...filesIn(cwd, ledger)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, TOOLGATE_CONFIG: join(cwd, "settings"), ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => void (output[name] += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const url = () => /Serving A[AC]P at ([^\s,]+)/.exec(output.stdout + output.stderr)?.[1] ?? "";
  await Promise.race([
    ended,
    until(
      () => url() !== "",
      () => output.stdout + output.stderr,
    ),
  ]);
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { url: url(), pid: child.pid ?? 0, output, ended, stop };
}
