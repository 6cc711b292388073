/**
 * A session's history as an app reads it. `full` is all that was said; `compacted` is what the model is
 * told when it goes on: without answers that were cut off, and with a summary in place of what it stands for. A call
 * that waits has no `tool` message yet.
 *
 * The calls of a sub-agent stand beside the call that it works on, since clients look for open calls in the last
 * assistant message only. The model is not told of them, so `compacted` has those alone that wait for the app.
 */
import { isOver, SessionBook } from "../../call/index.js";
import type { ContentBlock, RecordedEvent, SessionEvent, ToolCall } from "../../call/index.js";
import { AnswerDraft } from "../stream/answer-draft.js";
import { callResult } from "../stream/call-result.js";
import { messagesFromEvents } from "../client/messages-from-events.js";
import type { Block, HistoryMessage, TurnEvent } from "../client/protocol.js";
import { wireContent } from "../api/content-blocks.js";
import { TurnEvents } from "../stream/turn-events.js";

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
  const history = new History();
  if (hasSteps) readSteps(log, type, book, history);
  else readMoves(log, book, history);
  history.endUserMessage();
  return history.messages;
}

/** Messages so far, and the one that the user is writing. */
class History {
  messages: HistoryMessage[] = [];
  #said: { readonly messageId: string; readonly blocks: ContentBlock[] } | undefined;
  #lastUser: HistoryMessage | undefined;

  addAnswer(blocks: readonly Block[]): void {
    if (blocks.length > 0) this.messages.push({ role: "assistant", content: blocks });
  }

  addUserChunk({ messageId, block }: { readonly messageId: string; readonly block: ContentBlock }): void {
    if (this.#said?.messageId !== messageId) this.endUserMessage();
    this.#said ??= { messageId, blocks: [] };
    this.#said.blocks.push(block);
  }

  endUserMessage(): void {
    if (!this.#said) return;
    this.#lastUser = { role: "user", content: wireContent(this.#said.blocks) };
    this.messages.push(this.#lastUser);
    this.#said = undefined;
  }

  /** What the user last asked for is told again after the summary: it may be still under way. */
  sumUp(summary: string): void {
    this.messages = [{ role: "user", content: `What happened so far, in short:\n\n${summary}` }];
    if (this.#lastUser) this.messages.push(this.#lastUser);
  }
}

function readSteps(
  log: readonly RecordedEvent[],
  type: HistoryType,
  book: SessionBook,
  history: History,
): void {
  const draft = new AnswerDraft();
  const dropDraft = () => {
    const cutOff = draft.take();
    if (type === "full") history.addAnswer(cutOff);
  };
  for (const { event } of log) {
    if (isUserChunk(event)) {
      history.addUserChunk(event);
      continue;
    }
    history.endUserMessage();
    if (event.type === "message-chunk") {
      if (draft.isCutOffBy(event.messageId)) dropDraft();
      draft.add(event);
    } else if (event.type === "step-ended") {
      if (draft.isCutOffBy(event.stepId)) dropDraft();
      const calls = event.toolCallIds.flatMap((toolCallId) => callWithNested(book, toolCallId, type));
      history.addAnswer([...draft.take(), ...calls.map(toolUse)]);
      history.messages.push(...calls.flatMap(toolMessage));
    } else if (event.type === "turn-stopped") {
      dropDraft();
    } else if (event.type === "context-compacted" && type === "compacted") {
      history.sumUp(event.summary);
    }
  }
}

/** Of agents that do not say where their answers end: as it was told. */
function readMoves(log: readonly RecordedEvent[], book: SessionBook, history: History): void {
  const events = new TurnEvents(book, { hasSteps: false });
  let told: TurnEvent[] = [];
  const endAnswer = () => {
    history.messages.push(...messagesFromEvents(told.splice(0)));
  };
  for (const { event, seq } of log) {
    if (isUserChunk(event)) {
      endAnswer();
      history.addUserChunk(event);
      continue;
    }
    history.endUserMessage();
    told.push(...events.read(event, seq).flatMap((one) => (isDelta(one.wire) ? [] : [one.wire])));
  }
  told.push(...events.pause(0).map((one) => one.wire));
  endAnswer();
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

/** As the model wrote it. */
function toolUse({ toolCallId, name, rawInput, decision }: ToolCall): Block {
  return { type: "tool_use", toolCallId, name, input: decision?.originalInput ?? rawInput ?? {} };
}

function toolMessage(call: ToolCall): readonly HistoryMessage[] {
  if (!isOver(call.state)) return [];
  return [{ role: "tool", toolCallId: call.toolCallId, content: callResult(call).content }];
}
