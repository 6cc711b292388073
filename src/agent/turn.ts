/**
 * A turn, from wherever the log says it is: run what can run, ask the model, again. It parks where calls
 * wait for someone. Everything it needs to go on is in the log.
 */
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
  /** What the model is told before everything else, as it is by now. */
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
  const held = record.whileHeld(signal);
  try {
    return await goOn(context, turnId, held.signal);
  } catch (error) {
    // A bug is the host's to hear of; the turn ends all the same, unless someone else has the session by now.
    if (!(error instanceof LedgerError))
      await stop(context, "error", "something broke inside").catch(() => undefined);
    throw error;
  } finally {
    held.letGo();
  }
}

async function goOn(context: TurnContext, turnId: string, signal: AbortSignal): Promise<TurnEnd> {
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
    // As logs have it where the end of a turn was recorded apart from its last answer.
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

/** Every call ends before the turn does. */
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
    super(`Session ${sessionId} has no turn to go on with. Nothing was done; start one with a prompt.`);
    this.name = "NoOpenTurn";
  }
}
