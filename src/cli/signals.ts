/**
 * How signals end a command: the first one stops it in order, the second one at once.
 *
 * At Ctrl-C the terminal shows `^C` and stays in that line, so a newline comes first: our message, or the shell's prompt,
 * then has its own line. Other signals may mean that the terminal is gone, and nobody watches a stream that is not a
 * terminal: in these cases nothing is written.
 */
import { constants } from "node:os";
import { noteLine } from "./stderr.js";

export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves with the first signal. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isStopping) exitNow(signal);
      isStopping = true;
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
  });
}

/** Call this before stopping, which may take a moment. */
export function noteStopping(signal: NodeJS.Signals): void {
  if (isSeen(signal)) noteLine("\nStopping … press Ctrl-C again to quit now.");
}

/** Exits at once through `process.exit`, so that exit handlers run; the signal itself would skip them. */
export function exitNow(signal: NodeJS.Signals): never {
  if (isSeen(signal)) noteLine("");
  process.exit(signalExitCode(signal));
}

/** The exit code as shells count: 130 for SIGINT, 143 for SIGTERM. */
export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

const isSeen = (signal: NodeJS.Signals): boolean => signal === "SIGINT" && process.stderr.isTTY;
