/**
 * Runs a turn to its end as the protocol asks of a client: it runs or permits the calls that the turn stops for, sends all
 * answers in one request, and repeats that until the turn ends.
 *
 * Invariants: the session says which tools are the app's, not the tools of this process; all open calls are
 * answered together or none is; a call that nobody permits is denied; a client without state resumes from the history.
 */
import type { AapClient } from "./aap-client.js";
import { AapError } from "./aap-error.js";
import {
  AMOUNT,
  checkOptions,
  FUNCTION,
  having,
  OBJECT,
  required,
  SIGNAL,
  TEXT,
} from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { answersTo } from "./answers-to.js";
import type { AnswerOptions, CallAnswer } from "./answers-to.js";
import { TurnSubmitter } from "./turn-submitter.js";
import { bySide, pendingCalls } from "./pending-calls.js";
import type { PendingCalls } from "./pending-calls.js";
import type {
  HistoryMessage,
  ToolUseBlock,
  TurnEvent,
  TurnMessage,
  TurnRequest,
  TurnResult,
} from "./protocol.js";

export type RunTurnOptions = AnswerOptions & {
  readonly onEvent?: (event: TurnEvent) => void;
  /** Called with the answers before they are submitted. */
  readonly onAnswers?: (answers: readonly CallAnswer[]) => void;
  /** Settings that are sent with the answers, such as trust in further tools; they last. */
  readonly settings?: () => Pick<TurnRequest, "agent">;
  /** How often answers may be submitted. */
  readonly maxRounds?: number;
};

export type RunTurnRequest = Omit<TurnRequest, "messages"> & {
  /** Without messages, the waiting turn continues from the history. */
  readonly messages?: readonly TurnMessage[];
};

const MAX_ROUNDS = 1_000;

const RUN_TURN_ARGUMENTS = {
  client: required(having("a client (connect)", "turn")),
  sessionId: required(TEXT),
  request: required(OBJECT),
};

const RUN_TURN_OPTIONS: OptionChecks<RunTurnOptions> = {
  tools: OBJECT,
  permit: FUNCTION,
  signal: SIGNAL,
  onEvent: FUNCTION,
  onAnswers: FUNCTION,
  settings: FUNCTION,
  maxRounds: AMOUNT,
};

/** `messages`: all messages of the turn, with the results that were sent from here, as the history has them. */
export async function runTurn(
  client: AapClient,
  sessionId: string,
  given: RunTurnRequest,
  options: RunTurnOptions = {},
): Promise<TurnResult> {
  checkOptions("runTurn", { client, sessionId, request: given }, RUN_TURN_ARGUMENTS);
  checkOptions<RunTurnOptions>("runTurn", options, RUN_TURN_OPTIONS);
  const { messages, ...rest } = given;
  const { maxRounds = MAX_ROUNDS, onAnswers } = options;
  const all: HistoryMessage[] = [];
  const submitter = new TurnSubmitter(client, sessionId, options);
  const answered = async (pending: PendingCalls): Promise<readonly CallAnswer[]> => {
    const answers = await answersTo(pending, options);
    onAnswers?.(answers);
    all.push(...answers.filter((answer) => answer.role === "tool"));
    return answers;
  };
  let request: TurnRequest;
  if (messages) request = { ...rest, messages };
  else {
    const pending = await pendingOf(client, sessionId);
    if (isEmpty(pending)) return { stopReason: "end_turn", messages: [] };
    await submitter.skipCurrent();
    const answers = await answered(pending);
    request = { ...rest, ...options.settings?.(), messages: answers };
  }
  for (let round = 0; ; round += 1) {
    const { result, open } = await submitter.submit(request);
    all.push(...result.messages);
    if (result.stopReason !== "tool_use") return { ...result, messages: all };
    if (round >= maxRounds) throw tooMany(sessionId, maxRounds);
    const answers = await answered(await sidesOf(client, sessionId, open));
    // Other settings of the first request apply to the session from then on.
    request = { ...options.settings?.(), ...(rest.stream && { stream: rest.stream }), messages: answers };
  }
}

async function pendingOf(client: AapClient, sessionId: string): Promise<PendingCalls> {
  const { tools = [] } = await client.session(sessionId);
  return pendingCalls(
    await client.newestHistory(sessionId),
    tools.map(({ name }) => name),
  );
}

async function sidesOf(
  client: AapClient,
  sessionId: string,
  calls: readonly ToolUseBlock[],
): Promise<PendingCalls> {
  // An earlier response may have sent these messages: the history has them.
  const pending = calls.length === 0 ? await pendingOf(client, sessionId) : undefined;
  if (pending && !isEmpty(pending)) return pending;
  if (pending)
    throw new AapError(
      "NOT_AAP",
      `The server stopped the turn of session ${sessionId} for calls, and none of them is open. Nothing was submitted.`,
    );
  const { tools = [] } = await client.session(sessionId);
  return bySide(
    calls,
    tools.map(({ name }) => name),
  );
}

const isEmpty = ({ client, server }: PendingCalls): boolean => client.length + server.length === 0;

const tooMany = (sessionId: string, most: number): AapError =>
  new AapError(
    "TOO_MANY_ROUNDS",
    `The turn of session ${sessionId} stopped for calls more than ${most === 1 ? "once" : `${most} times`}. The last ones were not answered and stay open.`,
  );
