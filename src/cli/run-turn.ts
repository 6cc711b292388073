/** Runs one turn at a terminal: shows it live, asks the person if there is one, cancels on Ctrl-C. */
import type { SessionHandle, TurnEnd } from "../agent/index.js";
import { waitForEnd } from "../agent/wait-for-turn.js";
import type { Ask } from "../run/index.js";
import { signalExitCode, exitNow, SIGNALS } from "./signals.js";

export type RunTurnOptions = {
  readonly ask: Ask;
  /** Called when a signal cancels the turn; the end may take a moment. */
  readonly onInterrupt?: () => void;
};

/** Shown in a conversation while its turn is being cancelled. */
export const CANCELLING_CHAT = "Cancelling …";

/** The end of a turn, with the signal that cancelled it, if any. */
export type RanTurn = TurnEnd & { readonly signal?: NodeJS.Signals };

/** Without a prompt, resumes the stopped turn. */
export const runTurn = (
  session: SessionHandle,
  prompt: string,
  { ask, onInterrupt }: RunTurnOptions,
): Promise<RanTurn> =>
  untilInterrupted(
    (signal) =>
      waitForEnd(session, ask, signal, () =>
        prompt === "" ? session.advance(signal) : session.prompt([{ type: "text", text: prompt }], signal),
      ),
    onInterrupt,
  );

/** The first signal cancels the turn, the second one exits. */
export async function untilInterrupted(
  take: (signal: AbortSignal) => Promise<TurnEnd>,
  onInterrupt?: () => void,
): Promise<RanTurn> {
  const stop = new AbortController();
  let received: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) exitNow(signal);
    received = signal;
    stop.abort();
    onInterrupt?.();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const end = await take(stop.signal);
    return { ...end, ...(received !== undefined && { signal: received }) };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** The message for a turn that did not end normally. */
export function endText(end: TurnEnd): string | undefined {
  if (end.status === "parked") return "The turn waits for an answer.";
  if (end.stopReason === "end_turn") return undefined;
  const { stopReason, error } = end;
  if (stopReason === "cancelled") return "Cancelled. Calls that had not started were not run.";
  if (error === undefined && stopReason !== "error") return EARLY_END[stopReason];
  return `The turn ended early (${stopReason})${error === undefined ? "" : `: ${error.replace(/\.$/, "")}`}.`;
}

const EARLY_END: Readonly<Record<"max_tokens" | "max_turn_requests" | "refusal", string>> = {
  max_tokens: "The response was cut off at the model's limit (max_tokens). Ask the agent to continue.",
  max_turn_requests:
    "The turn ended at the limit of requests to the model (max_turn_requests). Ask the agent to continue.",
  refusal: "The model declined to answer (refusal).",
};

export function exitCode(end: RanTurn): number {
  if (end.status === "parked") return 1;
  if (end.stopReason === "cancelled") return signalExitCode(end.signal ?? "SIGINT");
  return end.stopReason === "end_turn" ? 0 : 1;
}
