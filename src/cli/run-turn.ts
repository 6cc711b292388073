/** One turn of an agent at a terminal: shown as it happens, asked where there is someone to ask, ended by Ctrl-C. */
import type { HeldSession, TurnEnd } from "../agent/index.js";
import { holdTurn } from "../agent/index.js";
import type { Ask } from "../run/index.js";
import { signalExitCode, exitNow, SIGNALS } from "./signals.js";

export type RunTurnOptions = {
  readonly ask: Ask;
  /** Hears that the turn was told to end, which may take a moment. */
  readonly onInterrupt?: () => void;
};

/** With the signal that ended it, where one did. */
export type RanTurn = TurnEnd & { readonly signal?: NodeJS.Signals };

/** Without a prompt, the turn that was left goes on. The first signal cancels, the second one leaves. */
export async function runTurn(
  session: HeldSession,
  prompt: string,
  { ask, onInterrupt }: RunTurnOptions,
): Promise<RanTurn> {
  const stop = new AbortController();
  let heard: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) exitNow(signal);
    heard = signal;
    stop.abort();
    onInterrupt?.();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const end = await holdTurn(session, ask, stop.signal, () =>
      prompt === ""
        ? session.advance(stop.signal)
        : session.prompt([{ type: "text", text: prompt }], stop.signal),
    );
    return { ...end, ...(heard !== undefined && { signal: heard }) };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** What a person is told of how a turn ended, when it is not the usual way. */
export function endText(end: TurnEnd): string | undefined {
  if (end.status === "parked") return "The turn waits for an answer.";
  if (end.stopReason === "end_turn") return undefined;
  if (end.stopReason === "cancelled") return "Cancelled. Calls that had not started were not run.";
  const why = end.error === undefined ? "" : `: ${end.error.replace(/\.$/, "")}`;
  return `The turn ended early (${end.stopReason})${why}.`;
}

export function exitCode(end: RanTurn): number {
  if (end.status === "parked") return 1;
  if (end.stopReason === "cancelled") return signalExitCode(end.signal ?? "SIGINT");
  return end.stopReason === "end_turn" ? 0 : 1;
}
