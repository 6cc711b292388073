/**
 * Advances a turn from its state in the log: runs the calls that can run, asks the model, and repeats. The turn parks
 * when calls wait for someone. The log has everything that resuming it needs.
 */
import { errorCode } from "../call/error-code.js";
import { LedgerError } from "../call/index.js";
import type { StopReason } from "../call/index.js";
import type { SessionRecord } from "../record/index.js";
import type { Gate } from "../run/index.js";
import type { Toolbox } from "../tools/index.js";
import type { Agent } from "./create-agent.js";
import { compactIfFull } from "./compact.js";
import { modelStep } from "./model-step.js";

export type TurnContext = {
  readonly agent: Agent;
  readonly record: SessionRecord;
  readonly gate: Gate;
  readonly toolbox: Toolbox;
  /** The current system prompt. */
  readonly instructions: () => Promise<string | undefined>;
  readonly now: () => number;
};

export type TurnEnd =
  | { readonly status: "parked" }
  | { readonly status: "stopped"; readonly stopReason: StopReason; readonly error?: string };

export async function advanceTurn(context: TurnContext, signal: AbortSignal): Promise<TurnEnd> {
  const { record, now } = context;
  const { turn } = record.book;
  if (!turn || turn.state.status === "stopped") throw new NoOpenTurn(record.sessionId);
  const { turnId } = turn;
  if (turn.state.status === "parked") await record.append([{ type: "turn-resumed", at: now(), turnId }]);
  const lease = record.whileHeld(signal);
  try {
    return await runSteps(context, turnId, lease.signal);
  } catch (error) {
    // The host gets the error of a bug. The turn ends too, unless another process has the session by now.
    if (!(error instanceof LedgerError))
      await stop(context, "error", recordedReason(error)).catch(() => undefined);
    throw error;
  } finally {
    lease.letGo();
  }
}

/** The message of a bug, or of a store with its path in it, is for the host only. */
function recordedReason(error: unknown): string {
  const code = errorCode(error);
  return code?.startsWith("LEDGER_") ? `the session could not be recorded (${code})` : "an internal error";
}

async function runSteps(context: TurnContext, turnId: string, signal: AbortSignal): Promise<TurnEnd> {
  const { record, gate, agent, now } = context;
  const { book } = record;
  for (;;) {
    if (signal.aborted) return stop(context, "cancelled");
    if (book.openCalls().length > 0) {
      await gate.proceed(signal);
      if (signal.aborted) return stop(context, "cancelled");
      if (book.openCalls().length > 0) {
        await record.append([{ type: "turn-parked", at: now(), turnId }], { durable: true });
        return { status: "parked" };
      }
    }
    const steps = book.steps.filter((step) => step.turnId === turnId);
    // Older logs record the end of a turn apart from its last response.
    if (steps.at(-1)?.toolCallIds.length === 0) return stop(context, "end_turn");
    if (steps.length >= agent.maxSteps) return stop(context, "max_turn_requests");
    const fitting = await compactIfFull(context, signal);
    if (signal.aborted) return stop(context, "cancelled");
    const made = await modelStep(context, turnId, signal, fitting);
    if (made.status === "broken") {
      return signal.aborted ? stop(context, "cancelled") : stop(context, made.stopReason, made.error);
    }
    if (book.turn?.state.status === "stopped") return { status: "stopped", stopReason: "end_turn" };
  }
}

/** Ends every call, then the turn. */
async function stop(
  { record, gate, now }: TurnContext,
  stopReason: StopReason,
  error?: string,
): Promise<TurnEnd> {
  const turnId = record.book.turn?.turnId ?? "";
  await gate.cancel(stopReason === "cancelled" ? "the turn was cancelled." : "the turn ended.");
  const ended = { stopReason, ...(error !== undefined && { error }) };
  await record.append([{ type: "turn-stopped", at: now(), turnId, ...ended }], { durable: true });
  return { status: "stopped", ...ended };
}

class NoOpenTurn extends Error {
  readonly code = "NO_OPEN_TURN";

  constructor(sessionId: string) {
    super(`Session ${sessionId} has no open turn. Nothing was done; start one with a prompt.`);
    this.name = "NoOpenTurn";
  }
}
