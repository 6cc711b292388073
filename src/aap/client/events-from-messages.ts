/** Makes the events of a turn from a response that came whole. The inverse of `messagesFromEvents`. */
import type { Block, HistoryMessage, TurnEvent, TurnResult } from "./protocol.js";

export function* eventsFromMessages(
  messages: readonly HistoryMessage[],
  stop: Omit<TurnResult, "messages">,
): Generator<TurnEvent, void, undefined> {
  yield { event: "turn_start", data: {} };
  for (const message of messages) {
    if (message.role === "tool") {
      const { toolCallId, content } = message;
      yield { event: "tool_result", data: { toolCallId, content } };
    } else if (message.role === "assistant") {
      const { content } = message;
      const blocks: readonly Block[] =
        typeof content === "string" ? [{ type: "text", text: content }] : content;
      for (const block of blocks) yield* blockEvents(block);
    }
  }
  yield { event: "turn_stop", data: stop };
}

function* blockEvents(block: Block): Generator<TurnEvent, void, undefined> {
  if (block.type === "text") yield { event: "text", data: { text: block.text } };
  else if (block.type === "thinking") yield { event: "thinking", data: { thinking: block.thinking } };
  else if (block.type === "tool_use") {
    const { toolCallId, name, input } = block;
    yield { event: "tool_call", data: { toolCallId, name, input } };
  }
}
