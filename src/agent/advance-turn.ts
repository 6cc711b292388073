/**
 * Advances a turn from its state in the log: runs the calls that can run, asks the model, and repeats. The turn parks
 * when calls wait for someone. The log has everything that resuming it needs.
 */
import { errorCode } from "../call/error-code.js";
import { asProviderOptions } from "../model/scripted-model.js";
import { LedgerError, thoughtIdOf } from "../call/index.js";
import type { SessionEvent, StopReason } from "../call/index.js";
import type { RetryNotice } from "../model/retrying.js";
import type { SessionRecord } from "../record/index.js";
import { ClientGone } from "../run/client-gone.js";
import { Cancelled } from "../run/running-calls.js";
import type { Gate } from "../run/index.js";
import type { Toolbox } from "../tools/index.js";
import type { Agent } from "./create-agent.js";
import { compact } from "./compact.js";
import { fillsWindow, learnWindow, promptLimits, tokensOf } from "./context-window.js";
import { compactedSteps, promptFromSession } from "./prompt-from-session.js";
import { modelName } from "./streamed-response.js";
import { streamStep } from "./streamed-step.js";
import type { BrokenStep, ModelRequest, OnText } from "./streamed-step.js";

export type TurnContext = {
  readonly agent: Agent;
  readonly record: SessionRecord;
  readonly gate: Gate;
  readonly toolbox: Toolbox;
  /** The current system prompt. */
  readonly instructions: () => Promise<string | undefined>;
  /** Called when a request to the model failed and is sent again. */
  readonly onModelRetry?: ((notice: RetryNotice) => void) | undefined;
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
      await stop(context, "error", { error: recordedReason(error) }).catch(() => undefined);
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
  const { record, gate, agent } = context;
  const { book } = record;
  /** The requests since the last response that the model refused for their length. */
  const refused: RefusedRequest[] = [];
  for (;;) {
    if (signal.aborted) return leave(context, signal);
    if (book.hasOpenCalls) {
      await gate.proceed(signal);
      if (signal.aborted) return leave(context, signal);
      if (book.hasOpenCalls) return park(context);
    }
    const steps = book.steps.filter((step) => step.turnId === turnId);
    // Older logs record the end of a turn apart from its last response.
    if (steps.at(-1)?.toolCallIds.length === 0) return stop(context, "end_turn");
    if (steps.length >= agent.maxSteps) return stop(context, "max_turn_requests");
    const last = refused.at(-1);
    const refusedTokens = last ? tokensOf(last.request.prompt) : Infinity;
    const request = await fittingRequest(context, refusedTokens, signal);
    if (signal.aborted) return leave(context, signal);
    // A request that cannot get smaller would be refused again.
    if (last && tokensOf(request.prompt) >= refusedTokens)
      return stop(context, last.stopReason, errorOf(last));
    const made = await modelStep(context, turnId, request, signal);
    if (made.status === "broken") {
      if (signal.aborted) return leave(context, signal);
      if (!made.overflow || refused.length === MAX_REFUSALS)
        return stop(context, made.stopReason, errorOf(made));
      await learnWindow(context, request.prompt, made.overflow);
      refused.push({ ...made, request });
      continue;
    }
    refused.length = 0;
    if (book.turn?.state.status === "stopped") return { status: "stopped", stopReason: "end_turn" };
  }
}

/**
 * The next request, made from the log as it is now. The session is compacted first when its prompt fills the window, or
 * is not smaller than the one that the model refused.
 */
async function fittingRequest(
  context: TurnContext,
  refusedTokens: number,
  signal: AbortSignal,
): Promise<ModelRequest> {
  const request = await currentRequest(context);
  const last = context.record.book.steps.at(-1);
  // A first step has nothing before it.
  if (!last) return request;
  const isRefused = refusedTokens < Infinity;
  const isFull = fillsWindow(request.prompt, promptLimits(context).contextWindow, last.usage);
  if (!isFull && (!isRefused || tokensOf(request.prompt) < refusedTokens)) return request;
  return (await compact(context, signal, { isRefused })) ? currentRequest(context) : request;
}

/** The prompt holds the parts that this model signed. */
async function currentRequest(context: TurnContext): Promise<ModelRequest> {
  const { agent, record, instructions } = context;
  const session = record.book.snapshot();
  const prompt = promptFromSession(session, {
    instructions: await instructions(),
    maxResultCharacters: promptLimits(context).maxResultCharacters,
    model: modelName(agent.model),
  });
  const compacted = compactedSteps(session);
  return compacted.length === 0 ? { prompt } : { prompt, providerOptions: asProviderOptions({ compacted }) };
}

/** How often in a row a request is made smaller after a refusal. */
const MAX_REFUSALS = 4;

type RefusedRequest = BrokenStep & { readonly request: ModelRequest };

type StepEnd = { readonly status: "made" } | BrokenStep;

/** One response of the model: its chunks go into the log as they arrive, then its calls go to the gate. */
async function modelStep(
  context: TurnContext,
  turnId: string,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<StepEnd> {
  const { record, gate, toolbox, now } = context;
  // The id is unique even when a step runs again after a crash, so that its text does not join the lost step's text.
  const stepId = `step_${record.seq + 1}`;
  const onText: OnText = (role, text) => ({
    type: "message-chunk",
    at: now(),
    messageId: role === "agent" ? stepId : thoughtIdOf(stepId),
    role,
    block: { type: "text", text },
  });
  const step = await streamStep(context, { request, tools: toolbox.list(), onText }, signal);
  if (step.broken) return step.broken;
  const ending = (toolCallIds: readonly string[]): readonly SessionEvent[] => [
    ...step.unfinishedDrafts(),
    { type: "step-ended", at: now(), turnId, stepId, toolCallIds, ...step.about(toolCallIds) },
    // A response without calls ends the turn: one append records both.
    ...(toolCallIds.length > 0 || signal.aborted
      ? []
      : [{ type: "turn-stopped", at: now(), turnId, stopReason: "end_turn" } as const]),
  ];
  // Without calls nobody else writes to the session: one append stores the text that is still pending, and the end.
  if (step.requests.length === 0 && !step.hasDrafts) await record.append(ending([]), { durable: true });
  else await gate.submit(step.requests, ending);
  return { status: "made" };
}

/** After an abort: a cancel ends the turn, and a client that is gone leaves it for the next one. */
async function leave(context: TurnContext, { reason }: AbortSignal): Promise<TurnEnd> {
  if (reason instanceof ClientGone) return park(context);
  return stop(context, "cancelled", reason instanceof Cancelled ? { reason: reason.message } : {});
}

async function park({ record, now }: TurnContext): Promise<TurnEnd> {
  const turnId = record.book.turn?.turnId ?? "";
  await record.append([{ type: "turn-parked", at: now(), turnId }], { durable: true });
  return { status: "parked" };
}

/** `error`: why it failed; `reason`: the reason that somebody gave for the cancel. */
type StopDetails = { readonly error?: string; readonly reason?: string };

const errorOf = ({ error }: BrokenStep): StopDetails => (error === undefined ? {} : { error });

/** Ends every call, then the turn. */
async function stop(
  { record, gate, now }: TurnContext,
  stopReason: StopReason,
  { error, reason }: StopDetails = {},
): Promise<TurnEnd> {
  const turnId = record.book.turn?.turnId ?? "";
  const why = reason === undefined ? "the turn was cancelled." : `the turn was cancelled: ${reason}`;
  await gate.cancel(stopReason === "cancelled" ? why : "the turn ended.");
  const ended = { stopReason, ...(error !== undefined && { error }) };
  const given = reason === undefined ? {} : { reason };
  await record.append([{ type: "turn-stopped", at: now(), turnId, ...ended, ...given }], { durable: true });
  return { status: "stopped", ...ended };
}

class NoOpenTurn extends Error {
  readonly code = "NO_OPEN_TURN";

  constructor(sessionId: string) {
    super(`Session ${sessionId} has no open turn. Nothing was done; start one with a prompt.`);
    this.name = "NoOpenTurn";
  }
}
