/**
 * A session's history as an app reads it. `full` has all messages, in the order in which they came: those that the app
 * started the session with as it gave them, and each result where its call ended. `compacted` has what the model gets when
 * it goes on: without answers that were cut off, and with a summary in place of the messages that it replaces. A call that
 * waits has no `tool` message yet.
 *
 * The calls of a sub-agent stand beside the call that it works on, since clients look for open calls in the last
 * assistant message only. The model does not get them, so `compacted` has only those that wait for the app.
 */
import { handleEvent, isOver } from "../../call/index.js";
import { modelRemarks } from "../../call/call-remarks.js";
import { isRefusalPrompt } from "../../call/refusal-prompt.js";
import type {
  EventOf,
  EventTable,
  RecordedEvent,
  SessionBook,
  SessionEvent,
  ToolCall,
} from "../../call/index.js";
import { bookOfLog } from "../../call/ledger.js";
import { messagesFromEvents } from "../client/messages-from-events.js";
import type { Block, HistoryMessage, TurnEvent } from "../client/protocol.js";
import { MessageDraft } from "../stream/message-draft.js";
import { callResult } from "../stream/call-result.js";
import { TurnEvents } from "../stream/turn-events.js";
import { HistoryBuilder } from "./history-builder.js";
import { seedOf } from "./seed-events.js";

export type HistoryType = "full" | "compacted";

export function historyFromLog(
  log: readonly RecordedEvent[],
  type: HistoryType,
  { hasSteps }: { readonly hasSteps: boolean },
): readonly HistoryMessage[] {
  const book = bookOfLog("", log);
  return hasSteps ? historyOfSteps(log, type, book) : historyOfMoves(log, book);
}

function historyOfSteps(
  log: readonly RecordedEvent[],
  type: HistoryType,
  book: SessionBook,
): readonly HistoryMessage[] {
  const seed = seedOf(log);
  const reader = new StepReader(book, type, seed.messages);
  for (const { event, seq } of log) {
    if (seq <= seed.lastSeq) continue;
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
  readonly history: HistoryBuilder;
  readonly #draft = new MessageDraft();
  readonly #book: SessionBook;
  readonly #type: HistoryType;
  /** Calls of the assistant's messages so far that have no result yet. */
  readonly #open = new Set<string>();
  /** Calls that ended before their message did. */
  readonly #endedEarly = new Set<string>();

  constructor(book: SessionBook, type: HistoryType, seed: readonly HistoryMessage[]) {
    this.#book = book;
    this.#type = type;
    this.history = new HistoryBuilder(seed);
  }

  addChunk(chunk: EventOf<"message-chunk">): void {
    if (this.#draft.isCutOffBy(chunk.messageId)) this.cutOff();
    this.#draft.add(chunk);
  }

  endStep({ stepId, toolCallIds }: EventOf<"step-ended">): void {
    if (this.#draft.isCutOffBy(stepId)) this.cutOff();
    const calls = toolCallIds.flatMap((toolCallId) => callWithNested(this.#book, toolCallId, this.#type));
    this.history.addAssistantMessage([...this.#draft.take(), ...calls.map(toolUse)]);
    for (const call of calls)
      if (this.#endedEarly.delete(call.toolCallId)) this.#addResult(call);
      else this.#open.add(call.toolCallId);
  }

  /** A reported end may follow an assumed one; the message keeps its place. */
  endCall({ toolCallId }: { readonly toolCallId: string }): void {
    const call = this.#book.call(toolCallId);
    if (call && this.#open.delete(toolCallId)) this.#addResult(call);
    else this.#endedEarly.add(toolCallId);
  }

  /** The model gets more remarks than the app did, some of them later. */
  #addResult(call: ToolCall): void {
    const { content } = this.#type === "full" ? callResult(call) : callResult(call, modelRemarks(call));
    this.history.messages.push({ role: "tool", toolCallId: call.toolCallId, content });
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

/** The effect of each event on the history. The results of calls are read from the book. */
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
  "call-refused": (event, reader) => reader.endCall(event),
  "run-started": ignore,
  "cancel-requested": ignore,
  "process-started": ignore,
  "file-kept": ignore,
  "sandbox-refused": ignore,
  "call-undone": ignore,
  "call-breached": ignore,
  "call-done": (event, reader) => reader.endCall(event),
  "call-failed": (event, reader) => reader.endCall(event),
  "call-cancelled": (event, reader) => reader.endCall(event),
  "call-unknown": (event, reader) => reader.endCall(event),
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
