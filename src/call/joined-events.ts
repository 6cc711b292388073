/**
 * Two events that say more of the same, as one: pieces of a message's text, pieces of an input that is being written.
 * What comes faster than it can be recorded or told is joined, and nothing of it is lost.
 */
import type { ContentBlock } from "./content.js";
import type { SessionEvent } from "./session.js";

/** Characters. What is longer stays in pieces: a reader that takes one at a time need not take them all. */
const LONGEST_JOINED = 65_536;

/** Undefined when they must stay two. */
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

const fits = (first: string, second: string): boolean => first.length + second.length <= LONGEST_JOINED;

/** Text that says something about itself stays a block of its own. */
export function isPlainText(block: ContentBlock): block is ContentBlock & { type: "text" } {
  return block.type === "text" && !block.annotations && !block._meta;
}
