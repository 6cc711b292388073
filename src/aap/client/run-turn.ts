/**
 * A turn to its very end, as the protocol wants a client to go about it: the calls that it stops for are run here or
 * permitted, all answers go back in one request, and so on until it stops for good.
 *
 * What must stay true: which tools are the app's is what the session says, not what this process happens to have; all
 * open calls are answered together or none is; what nobody permits is denied; a client without memory goes on from
 * the history.
 */
import type { AapClient } from "./aap-client.js";
import { AapError } from "./aap-error.js";
import { answersTo } from "./answer-calls.js";
import type { AnswerOptions, CallAnswer } from "./answer-calls.js";
import { Hearing } from "./hearing.js";
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
  /** Hears what is about to be submitted. */
  readonly onAnswers?: (answers: readonly CallAnswer[]) => void;
  /** How often answers may be submitted. */
  readonly maxRounds?: number;
};

export type RunTurnRequest = Omit<TurnRequest, "messages"> & {
  /** Without any, the turn that waits goes on from the history. */
  readonly messages?: readonly TurnMessage[];
};

const MAX_ROUNDS = 1_000;

/** `messages`: all that came of it, with the results that were sent from here, as the history has them. */
export async function runTurn(
  client: AapClient,
  sessionId: string,
  { messages, ...rest }: RunTurnRequest,
  options: RunTurnOptions = {},
): Promise<TurnResult> {
  const { maxRounds = MAX_ROUNDS, onAnswers } = options;
  const all: HistoryMessage[] = [];
  const hearing = new Hearing(client, sessionId, options);
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
    await hearing.skipCurrent();
    request = { ...rest, messages: await answered(pending) };
  }
  for (let round = 0; ; round += 1) {
    const { result, open } = await hearing.submit(request);
    all.push(...result.messages);
    if (result.stopReason !== "tool_use") return { ...result, messages: all };
    if (round >= maxRounds) throw tooMany(sessionId, maxRounds);
    const answers = await answered(await sidesOf(client, sessionId, open));
    // What else the first request brought holds for the session from then on.
    request = { ...(rest.stream && { stream: rest.stream }), messages: answers };
  }
}

/** Most servers keep all of it; those that do not may say so with a 404. */
async function pendingOf(client: AapClient, sessionId: string): Promise<PendingCalls> {
  const { tools = [] } = await client.session(sessionId);
  const history = await client.history(sessionId, "full").catch((error: unknown) => {
    if (error instanceof AapError && error.status === 404) return client.history(sessionId, "compacted");
    throw error;
  });
  return pendingCalls(
    history,
    tools.map(({ name }) => name),
  );
}

async function sidesOf(
  client: AapClient,
  sessionId: string,
  calls: readonly ToolUseBlock[],
): Promise<PendingCalls> {
  // Told in an earlier response, perhaps: the history knows.
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
