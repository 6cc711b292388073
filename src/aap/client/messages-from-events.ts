/** The messages that a turn's events add up to. A tool result ends the assistant's message before it, and so does a server that dies. */
import { checkOptions, ITERABLE, required } from "../../call/check-options.js";
import type { Block, HistoryMessage, TurnEvent } from "./protocol.js";

export function messagesFromEvents(events: Iterable<TurnEvent>): readonly HistoryMessage[] {
  checkOptions("messagesFromEvents", { events }, { events: required(ITERABLE) });
  const messages: HistoryMessage[] = [];
  let blocks: Block[] = [];
  const endAnswer = () => {
    if (blocks.length > 0) messages.push({ role: "assistant", content: blocks });
    blocks = [];
  };
  for (const event of events) {
    switch (event.event) {
      case "text_delta":
      case "thinking_delta":
        addDelta(blocks, event);
        break;
      case "text":
        blocks.push({ type: "text", text: event.data.text });
        break;
      case "thinking":
        blocks.push({ type: "thinking", thinking: event.data.thinking });
        break;
      case "answer_cut_off":
        endAnswer();
        break;
      case "tool_call": {
        const { toolCallId, name, input } = event.data;
        blocks.push({ type: "tool_use", toolCallId, name, input });
        break;
      }
      case "tool_result": {
        endAnswer();
        const { toolCallId, content } = event.data;
        messages.push({ role: "tool", toolCallId, content });
        break;
      }
      default:
        // A start, a stop, or something that only a newer server knows.
        break;
    }
  }
  endAnswer();
  return messages;
}

function addDelta(blocks: Block[], { event, data }: TurnEvent & { event: `${string}_delta` }): void {
  const last = blocks.at(-1);
  if (event === "text_delta") {
    if (last?.type === "text") blocks.pop();
    blocks.push({ type: "text", text: (last?.type === "text" ? last.text : "") + data.delta });
  } else {
    if (last?.type === "thinking") blocks.pop();
    blocks.push({
      type: "thinking",
      thinking: (last?.type === "thinking" ? last.thinking : "") + data.delta,
    });
  }
}
