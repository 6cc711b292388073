/**
 * A session's history as an app reads it. `full` has all messages; `compacted` has what the model gets when it goes on:
 * without answers that were cut off, and with a summary in place of the messages that it replaces. A call that waits has
 * no `tool` message yet.
 *
 * The calls of a sub-agent stand beside the call that it works on, since clients look for open calls in the last
 * assistant message only. The model does not get them, so `compacted` has only those that wait for the app.
 */
import { handleEvent, isOver, SessionBook } from "../../call/index.js";
import { isRefusalPrompt } from "../../call/refusal-prompt.js";
import type { EventOf, EventTable, RecordedEvent, SessionEvent, ToolCall } from "../../call/index.js";
import { messagesFromEvents } from "../client/messages-from-events.js";
import type { Block, HistoryMessage, TurnEvent } from "../client/protocol.js";
import { MessageDraft } from "../stream/message-draft.js";
import { callResult } from "../stream/call-result.js";
import { TurnEvents } from "../stream/turn-events.js";
import { HistoryBuilder } from "./history-builder.js";

export type HistoryType = "full" | "compacted";

export function historyFromLog(
  log: readonly RecordedEvent[],
  type: HistoryType,
  { hasSteps }: { readonly hasSteps: boolean },
): readonly HistoryMessage[] {
  const book = new SessionBook(
    "",
    log.map(({ event }) => event),
  );
  return hasSteps ? historyOfSteps(log, type, book) : historyOfMoves(log, book);
}

function historyOfSteps(
  log: readonly RecordedEvent[],
  type: HistoryType,
  book: SessionBook,
): readonly HistoryMessage[] {
  const reader = new StepReader(book, type);
  for (const { event } of log) {
    if (isUserChunk(event)) reader.history.addUserChunk(event);
    else {
      reader.history.endUserMessage();
      handleEvent(STEP_TABLE, event, reader);
    }
  }
  reader.history.endUserMessage();
  return reader.history.messages;
}

/** The history of an agent that records where its answers end. */
class StepReader {
  readonly history = new HistoryBuilder();
  readonly #draft = new MessageDraft();
  readonly #book: SessionBook;
  readonly #type: HistoryType;

  constructor(book: SessionBook, type: HistoryType) {
    this.#book = book;
    this.#type = type;
  }

  addChunk(chunk: EventOf<"message-chunk">): void {
    if (this.#draft.isCutOffBy(chunk.messageId)) this.cutOff();
    this.#draft.add(chunk);
  }

  endStep({ stepId, toolCallIds }: EventOf<"step-ended">): void {
    if (this.#draft.isCutOffBy(stepId)) this.cutOff();
    const calls = toolCallIds.flatMap((toolCallId) => callWithNested(this.#book, toolCallId, this.#type));
    this.history.addAssistantMessage([...this.#draft.take(), ...calls.map(toolUse)]);
    this.history.messages.push(...calls.flatMap(toolMessage));
  }

  /** The message that was started did not end. */
  cutOff(): void {
    const blocks = this.#draft.take();
    if (this.#type === "full") this.history.addAssistantMessage(blocks);
  }

  compact({ summary }: EventOf<"context-compacted">): void {
    if (this.#type === "compacted") this.history.summarize(summary);
  }
}

const ignore = (): void => undefined;

/** The effect of each event on the history. Calls are read from the book, as they are at the end of the log. */
const STEP_TABLE: EventTable<[reader: StepReader], void> = {
  "message-chunk": (event, reader) => reader.addChunk(event),
  "step-ended": (event, reader) => reader.endStep(event),
  "turn-stopped": (_event, reader) => reader.cutOff(),
  "context-compacted": (event, reader) => reader.compact(event),
  "window-learnt": ignore,
  "turn-started": ignore,
  "turn-parked": ignore,
  "turn-resumed": ignore,
  "question-asked": ignore,
  "question-answered": ignore,
  "question-withdrawn": ignore,
  "plan-updated": ignore,
  "mode-changed": ignore,
  "info-changed": ignore,
  "traffic-repaired": ignore,
  "call-announced": ignore,
  "input-delta": ignore,
  "input-ready": ignore,
  "call-revised": ignore,
  "content-appended": ignore,
  "terminal-output": ignore,
  "terminal-exited": ignore,
  "app-awaited": ignore,
  "child-awaited": ignore,
  "child-stepped": ignore,
  "call-cleared": ignore,
  "call-refused": ignore,
  "run-started": ignore,
  "cancel-requested": ignore,
  "process-started": ignore,
  "file-kept": ignore,
  "sandbox-refused": ignore,
  "call-undone": ignore,
  "call-breached": ignore,
  "call-done": ignore,
  "call-failed": ignore,
  "call-cancelled": ignore,
  "call-unknown": ignore,
};

/** The history of an agent that does not record where its answers end: as its stream was. */
function historyOfMoves(log: readonly RecordedEvent[], book: SessionBook): readonly HistoryMessage[] {
  const history = new HistoryBuilder();
  const events = new TurnEvents(book, { hasSteps: false });
  let sent: TurnEvent[] = [];
  const endAnswer = () => {
    history.messages.push(...messagesFromEvents(sent.splice(0)));
  };
  for (const { event, seq } of log) {
    if (isUserChunk(event)) {
      endAnswer();
      // The app sent the reason with its no, and no message.
      if (!isRefusalPrompt(event.messageId)) history.addUserChunk(event);
      continue;
    }
    history.endUserMessage();
    sent.push(...events.read(event, seq).flatMap(({ wire }) => (isDelta(wire) ? [] : [wire])));
  }
  sent.push(...events.pause(0).map(({ wire }) => wire));
  endAnswer();
  history.endUserMessage();
  return history.messages;
}

const isDelta = ({ event }: TurnEvent): boolean => event === "text_delta" || event === "thinking_delta";

const isUserChunk = (event: SessionEvent): event is SessionEvent & { type: "message-chunk"; role: "user" } =>
  event.type === "message-chunk" && event.role === "user";

function callWithNested(book: SessionBook, toolCallId: string, type: HistoryType): readonly ToolCall[] {
  const call = book.call(toolCallId);
  if (!call) return [];
  const nested = (call.childSteps ?? [])
    .flatMap((step) => step.toolCallIds.flatMap((id) => book.call(id) ?? []))
    .filter(({ state }) => type === "full" || !isOver(state));
  return [call, ...nested];
}

/** With the input as the model wrote it. */
function toolUse({ toolCallId, name, rawInput, decision }: ToolCall): Block {
  return { type: "tool_use", toolCallId, name, input: decision?.originalInput ?? rawInput ?? {} };
}

function toolMessage(call: ToolCall): readonly HistoryMessage[] {
  if (!isOver(call.state)) return [];
  return [{ role: "tool", toolCallId: call.toolCallId, content: callResult(call).content }];
}
