/**
 * Joins two consecutive chunks of a message's text, or of an input that is being written, into one event. Chunks
 * that arrive faster than they can be stored or sent are joined, and no text is lost.
 */
import type { ContentBlock } from "./content.js";
import type { SessionEvent } from "./session.js";

/** Longer text stays in several events, so that a reader can take it piece by piece. */
const MAX_JOINED_CHARACTERS = 65_536;

/** Undefined when the two cannot be joined. */
export function joinedEvents(first: SessionEvent, second: SessionEvent): SessionEvent | undefined {
  if (first.type === "message-chunk" && second.type === "message-chunk") {
    if (first.messageId !== second.messageId || first.role !== second.role) return undefined;
    const block = joinedText(first.block, second.block);
    const { type, at, messageId, role } = first;
    return block && { type, at, messageId, role, block };
  }
  if (first.type === "input-delta" && second.type === "input-delta")
    return first.toolCallId === second.toolCallId && fits(first.text, second.text)
      ? { ...first, text: first.text + second.text }
      : undefined;
  return undefined;
}

function joinedText(first: ContentBlock, second: ContentBlock): ContentBlock | undefined {
  if (!isPlainText(first) || !isPlainText(second) || !fits(first.text, second.text)) return undefined;
  return { type: "text", text: first.text + second.text };
}

const fits = (first: string, second: string): boolean =>
  first.length + second.length <= MAX_JOINED_CHARACTERS;

/** Text with annotations or metadata stays a separate block. */
export function isPlainText(block: ContentBlock): block is ContentBlock & { type: "text" } {
  return block.type === "text" && !block.annotations && !block._meta;
}
