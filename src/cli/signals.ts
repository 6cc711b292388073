/**
 * How a command ends that is told to: the first signal ends it in order, the second one at once.
 *
 * At Ctrl-C the terminal shows `^C` and stays in that line, so it is ended first: what we say, or the shell's prompt, has
 * a line of its own. Other signals come from elsewhere, perhaps because the terminal is gone, and behind a stream that
 * is no terminal nobody looks: nothing is said then.
 */
import { constants } from "node:os";
import { noteLine } from "./stderr.js";

export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Settles with the first signal, for a program that ends then. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isLeaving = false;
    const hear = (signal: NodeJS.Signals): void => {
      if (isLeaving) leave(signal);
      isLeaving = true;
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, hear);
  });
}

/** To be said at once: the end itself may take a moment. */
export function noteStopping(signal: NodeJS.Signals): void {
  if (isSeen(signal)) noteLine("\nStopping … press Ctrl-C again to quit now.");
}

/** At once, with what we started: not by the signal itself, of which nobody would hear. */
export function leave(signal: NodeJS.Signals): never {
  if (isSeen(signal)) noteLine("");
  process.exit(signalExitCode(signal));
}

/** As shells count: 130 for Ctrl-C, 143 for a program that was told to end. */
export const signalExitCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

const isSeen = (signal: NodeJS.Signals): boolean => signal === "SIGINT" && process.stderr.isTTY;
