/**
 * The end of a turn whose stream ended without `turn_stop`, read from the history. The servers that are built on the
 * protocol's own SDK close their streams before the last events are out; the turn itself has run to its end there.
 */
import { eventsFromMessages } from "./events-from-messages.js";
import { messagesFromEvents } from "./messages-from-events.js";
import { pendingCalls } from "./pending-calls.js";
import type { HistoryMessage, TurnEvent, TurnMessage, TurnResult } from "./protocol.js";
import { sleep } from "./retries.js";

/** The server may still be writing the history: it is read again after these pauses. */
const PAUSES_MS: readonly number[] = [0, 50, 100, 200, 400, 800, 1_600];

/** Undefined when the history does not have the end of the turn. */
export async function turnFromHistory(
  sent: readonly TurnMessage[],
  readHistory: () => Promise<readonly HistoryMessage[]>,
  signal: AbortSignal | undefined,
): Promise<TurnResult | undefined> {
  for (const pauseMs of PAUSES_MS) {
    await sleep(pauseMs, signal);
    const found = endOfTurn(await readHistory(), sent);
    if (found) return found;
  }
  return undefined;
}

function endOfTurn(history: readonly HistoryMessage[], sent: readonly TurnMessage[]): TurnResult | undefined {
  const messages = withoutRepeats(addedTo(history, sent));
  const last = messages.findLast(({ role }) => role === "assistant");
  if (!last) return undefined;
  const { server: open } = pendingCalls(messages, []);
  if (open.length > 0) return { stopReason: "tool_use", messages };
  return messages.at(-1) === last ? { stopReason: "end_turn", messages } : undefined;
}

/** The messages that answer the request: after the user's message, or after the calls that were answered. */
function addedTo(
  history: readonly HistoryMessage[],
  sent: readonly TurnMessage[],
): readonly HistoryMessage[] {
  if (sent.some(({ role }) => role === "user"))
    return history.slice(history.findLastIndex(({ role }) => role === "user") + 1);
  const answered = new Set(sent.flatMap((message) => ("toolCallId" in message ? [message.toolCallId] : [])));
  const own = new Set(sent.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])));
  const asked = history.findLastIndex(
    ({ role, content }) =>
      role === "assistant" &&
      typeof content !== "string" &&
      content.some((block) => block.type === "tool_use" && answered.has(block.toolCallId)),
  );
  if (asked === -1) return [];
  return history
    .slice(asked + 1)
    .filter((message) => message.role !== "tool" || !own.has(message.toolCallId))
    .filter((message, index, all) => !isEarlierResult(message, answered, all, index));
}

/** The history has the results of calls that the app was not asked about, since the turn before. */
function isEarlierResult(
  message: HistoryMessage,
  answered: ReadonlySet<string>,
  all: readonly HistoryMessage[],
  index: number,
): boolean {
  const isBeforeAnswer = !all.slice(0, index).some(({ role }) => role === "assistant");
  return message.role === "tool" && !answered.has(message.toolCallId) && isBeforeAnswer;
}

/** Some servers store the result of a tool twice. */
function withoutRepeats(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const seen = new Set<string>();
  return messages.filter((message) => {
    if (message.role !== "tool") return true;
    const isNew = !seen.has(message.toolCallId);
    seen.add(message.toolCallId);
    return isNew;
  });
}

/** The events that the stream did not send. Only the end where the history differs from the stream. */
export function missingEvents(
  received: readonly TurnEvent[],
  { messages, ...stop }: TurnResult,
): readonly TurnEvent[] {
  const all = [...eventsFromMessages(messages, stop)];
  const known = [...eventsFromMessages(messagesFromEvents(received), stop)].slice(0, -1);
  const cut = all[known.length - 1];
  const last = known.at(-1);
  const isSame = known.slice(0, -1).every((event, index) => isEqual(event, all[index]));
  const rest = cut && last ? restOf(last, cut) : undefined;
  return isSame && rest ? [...rest, ...all.slice(known.length)] : all.slice(-1);
}

/** The missing part of an event: the last text may have been cut. Undefined when they differ. */
function restOf(received: TurnEvent, whole: TurnEvent): readonly TurnEvent[] | undefined {
  if (isEqual(received, whole)) return [];
  if (received.event !== "text" || whole.event !== "text") return undefined;
  const [before, all] = [received.data.text, whole.data.text];
  return all.startsWith(before)
    ? [{ event: "text_delta", data: { delta: all.slice(before.length) } }]
    : undefined;
}

const isEqual = (one: TurnEvent | undefined, other: TurnEvent | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
