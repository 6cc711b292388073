/**
 * Two events that say more of the same, as one: pieces of a message's text, pieces of an input that is being written.
 * What comes faster than it can be recorded or told is joined, and nothing of it is lost.
 */
import type { ContentBlock } from "./content.js";
import type { SessionEvent } from "./session.js";

/** Characters. What is longer stays in pieces: a reader that takes one at a time need not take them all. */
const LONGEST_JOINED = 65_536;

type PlainText = ContentBlock & { type: "text" };
type TextChunk = SessionEvent & { readonly type: "message-chunk"; readonly block: PlainText };

/** Undefined when they must stay two. */
export function joinedEvents(first: SessionEvent, second: SessionEvent): SessionEvent | undefined {
  if (first.type === "input-delta" && second.type === "input-delta")
    return first.toolCallId === second.toolCallId && fits(first.text, second.text)
      ? { ...first, text: first.text + second.text }
      : undefined;
  const joined = JoinedText.from(first);
  return joined?.add(second) ? joined.event : undefined;
}

/** A message's text as it comes. The event that says all of it is made when it is asked for. */
export class JoinedText {
  readonly #first: TextChunk;
  #text: string;

  private constructor(first: TextChunk) {
    this.#first = first;
    this.#text = first.block.text;
  }

  static from(first: SessionEvent): JoinedText | undefined {
    return isTextChunk(first) ? new JoinedText(first) : undefined;
  }

  get event(): SessionEvent {
    const { type, at, messageId, role } = this.#first;
    return { type, at, messageId, role, block: { type: "text", text: this.#text } };
  }

  /** Takes the event if it goes on with the same message. */
  add(event: SessionEvent): boolean {
    if (!isTextChunk(event) || !fits(this.#text, event.block.text)) return false;
    if (event.messageId !== this.#first.messageId || event.role !== this.#first.role) return false;
    this.#text += event.block.text;
    return true;
  }
}

const fits = (first: string, second: string): boolean => first.length + second.length <= LONGEST_JOINED;

const isTextChunk = (event: SessionEvent): event is TextChunk =>
  event.type === "message-chunk" && isPlainText(event.block);

/** Text that says something about itself stays a block of its own. */
export function isPlainText(block: ContentBlock): block is PlainText {
  return block.type === "text" && !block.annotations && !block._meta;
}
