/** One turn of an agent at a terminal: shown as it happens, asked where there is someone to ask, ended by Ctrl-C. */
import type { AgentSession, TurnEnd } from "../agent/index.js";
import { holdTurn } from "../agent/index.js";
import type { Ask } from "../run/index.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Without a prompt, the turn that was left goes on. */
export async function runTurn(session: AgentSession, prompt: string, ask: Ask): Promise<TurnEnd> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await holdTurn(session, ask, stop.signal, () =>
      prompt === ""
        ? session.advance(stop.signal)
        : session.prompt([{ type: "text", text: prompt }], stop.signal),
    );
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** What a person is told of how a turn ended, when it is not the usual way. */
export function endText(end: TurnEnd): string | undefined {
  if (end.status === "parked") return "The turn waits for an answer.";
  if (end.stopReason === "end_turn") return undefined;
  if (end.stopReason === "cancelled") return "Cancelled. What had not started was not run.";
  return `The turn ended early (${end.stopReason})${end.error === undefined ? "" : `: ${end.error}`}.`;
}
