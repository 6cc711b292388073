/**
 * Events that end open calls which do not end by themselves: cancelled ones, those of a process that died, and those
 * whose runner does not report an end. The last end is only assumed: a later report replaces it. A call that may have
 * started never ends as cancelled: its end is unknown, unless we ran all of it.
 */
import type { SessionBook, SessionEvent, ToolCall } from "../call/index.js";
import { isOver } from "../call/index.js";
import { partsByCall } from "../call/call-parts.js";

/** Ends every open call that has not started, or only these, and withdraws the questions that wait for an answer. */
export function cancelEvents(
  book: SessionBook,
  reason: string,
  at: number,
  calls: readonly ToolCall[] = book.openCalls(),
): readonly SessionEvent[] {
  return calls.flatMap((call): SessionEvent[] => {
    const { toolCallId, state } = call;
    if (state.status === "running") return [];
    return [...withdrawnQuestion(book, call, reason, at), { type: "call-cancelled", toolCallId, at, reason }];
  });
}

export type EndReasons = {
  /** Why a call that waits is cancelled. */
  readonly waiting: string;
  /** Why the end of a call that may have started is unknown. */
  readonly started: string;
  /** Why a call fails whose command we ran, and ended. */
  readonly commandEnded?: string;
};

export function assumedEnds(book: SessionBook, reasons: EndReasons, at: number): readonly SessionEvent[] {
  const parts = partsByCall(book.calls());
  return book.openCalls().flatMap((call) => {
    const isEnded = hasEndedCommand(call, parts.get(call.toolCallId) ?? []);
    const error = isEnded ? reasons.commandEnded : undefined;
    return [
      ...withdrawnQuestion(book, call, reasons.waiting, at),
      ...(error === undefined ? end(call, reasons, at) : [failed(call, error, at)]),
    ];
  });
}

/** Withdraws the question that a call waits for, and cancels the call; nothing when nobody waits for an answer. */
export function withdrawnCall(
  book: SessionBook,
  call: ToolCall,
  reason: string,
  at: number,
): readonly SessionEvent[] {
  const withdrawn = withdrawnQuestion(book, call, reason, at);
  if (withdrawn.length === 0) return [];
  return [...withdrawn, { type: "call-cancelled", toolCallId: call.toolCallId, at, reason, assumed: true }];
}

/** Withdraws the question that the call waits for, unless it is answered. */
function withdrawnQuestion(
  book: SessionBook,
  { state }: ToolCall,
  reason: string,
  at: number,
): readonly SessionEvent[] {
  if (state.status !== "waiting" || state.waitingFor.type !== "question") return [];
  const { questionId } = state.waitingFor;
  if (book.question(questionId)?.state.status !== "open") return [];
  return [{ type: "question-withdrawn", at, questionId, reason }];
}

/** The call is a command that we ran for its agent, and nothing of it runs any more. */
const hasEndedCommand = ({ state }: ToolCall, parts: readonly ToolCall[]): boolean =>
  state.status === "running" &&
  parts.some(({ kind }) => kind === "execute") &&
  parts.every((part) => isOver(part.state));

function failed({ toolCallId }: ToolCall, error: string, at: number): SessionEvent {
  return { type: "call-failed", toolCallId, at, error, assumed: true };
}

function end(
  { toolCallId, state }: ToolCall,
  { waiting, started }: EndReasons,
  at: number,
): readonly SessionEvent[] {
  const lost: SessionEvent = { type: "call-unknown", toolCallId, at, reason: started, assumed: true };
  if (state.status === "running") return [lost];
  // The runner knows that the call was allowed, so it may have started.
  if (state.status === "cleared") return [{ type: "run-started", toolCallId, at }, lost];
  return [{ type: "call-cancelled", toolCallId, at, reason: waiting, assumed: true }];
}
