/**
 * A session's history as an app reads it. `full` is all that was said; `compacted` is what the model is
 * told when it goes on, so without answers that were cut off. A call that waits has no `tool` message yet.
 *
 * The calls of a sub-agent stand beside the call that it works on, since clients look for open calls in the last
 * assistant message only. The model is not told of them, so `compacted` has those alone that wait for the app.
 */
import { isOver, SessionBook } from "../call/index.js";
import type { ContentBlock, SessionEvent, ToolCall } from "../call/index.js";
import { AnswerDraft } from "./answer-draft.js";
import { callResult } from "./call-result.js";
import type { Block, HistoryMessage } from "./client/protocol.js";

export type HistoryType = "full" | "compacted";

export function historyFromLog(
  events: readonly SessionEvent[],
  type: HistoryType,
): readonly HistoryMessage[] {
  const book = new SessionBook("", events);
  const draft = new AnswerDraft();
  const messages: HistoryMessage[] = [];
  const addAnswer = (blocks: readonly Block[]) => {
    if (blocks.length > 0) messages.push({ role: "assistant", content: blocks });
  };
  const dropDraft = () => {
    const cutOff = draft.take();
    if (type === "full") addAnswer(cutOff);
  };
  let said: { readonly messageId: string; readonly blocks: ContentBlock[] } | undefined;
  const endUserMessage = () => {
    if (said) messages.push({ role: "user", content: userContent(said.blocks) });
    said = undefined;
  };

  for (const event of events) {
    if (event.type === "message-chunk" && event.role === "user") {
      if (said?.messageId !== event.messageId) endUserMessage();
      said ??= { messageId: event.messageId, blocks: [] };
      said.blocks.push(event.block);
      continue;
    }
    endUserMessage();
    if (event.type === "message-chunk") {
      if (draft.isCutOffBy(event)) dropDraft();
      draft.add(event);
    } else if (event.type === "step-ended") {
      const calls = event.toolCallIds.flatMap((toolCallId) => callWithNested(book, toolCallId, type));
      addAnswer([...draft.take(), ...calls.map(toolUse)]);
      messages.push(...calls.flatMap(toolMessage));
    } else if (event.type === "turn-stopped") {
      dropDraft();
    }
  }
  endUserMessage();
  return messages;
}

function callWithNested(book: SessionBook, toolCallId: string, type: HistoryType): readonly ToolCall[] {
  const call = book.call(toolCallId);
  if (!call) return [];
  const nested = (call.childSteps ?? [])
    .flatMap((step) => step.toolCallIds.flatMap((id) => book.call(id) ?? []))
    .filter(({ state }) => type === "full" || !isOver(state));
  return [call, ...nested];
}

function toolUse({ toolCallId, name, rawInput }: ToolCall): Block {
  return { type: "tool_use", toolCallId, name, input: rawInput ?? {} };
}

function toolMessage(call: ToolCall): readonly HistoryMessage[] {
  if (!isOver(call.state)) return [];
  return [{ role: "tool", toolCallId: call.toolCallId, content: callResult(call).content }];
}

function userContent(blocks: readonly ContentBlock[]): string | readonly Block[] {
  const [only] = blocks;
  if (blocks.length === 1 && only?.type === "text") return only.text;
  return blocks.map(userBlock);
}

/** Another door may have put in what AAP has no block for. */
function userBlock(block: ContentBlock): Block {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image") return { type: "image", url: `data:${block.mimeType};base64,${block.data}` };
  if (block.type === "resource" && "text" in block.resource)
    return { type: "text", text: block.resource.text };
  return {
    type: "text",
    text: block.type === "resource_link" ? `[${block.name}](${block.uri})` : `[${block.type}]`,
  };
}
