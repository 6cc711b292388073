/** The chunks of a session's messages: folded into messages, joined into fewer events, and their ids. */
import type { ContentBlock } from "./content.js";
import type { Message, MessageRole, SessionEvent } from "./session.js";

type Chunk = {
  readonly messageId: string;
  readonly role: MessageRole;
  readonly at: number;
  readonly block: ContentBlock;
};

/** Folds the chunks of one message as they arrive. Text is joined; the message's value is made on demand. */
export class MessageRun {
  readonly #first: Chunk;
  /** All blocks except the plain text at the end. */
  readonly #blocks: ContentBlock[] = [];
  #text: string | undefined;
  #made: Message | undefined;

  constructor(first: Chunk) {
    this.#first = first;
    this.push(first.block);
  }

  takes(chunk: Chunk): boolean {
    return chunk.messageId === this.#first.messageId && chunk.role === this.#first.role;
  }

  push(block: ContentBlock): void {
    this.#made = undefined;
    if (isPlainText(block)) {
      this.#text = this.#text === undefined ? block.text : this.#text + block.text;
      return;
    }
    this.#blocks.push(...this.#ending(), block);
    this.#text = undefined;
  }

  message(): Message {
    const { messageId, role, at } = this.#first;
    this.#made ??= { messageId, role, at, blocks: [...this.#blocks, ...this.#ending()] };
    return this.#made;
  }

  #ending(): readonly ContentBlock[] {
    return this.#text === undefined ? [] : [{ type: "text", text: this.#text }];
  }
}

/** Longer text stays in several events, so that a reader can take it piece by piece. */
const MAX_JOINED_CHARACTERS = 65_536;

/**
 * Joins two consecutive chunks of a message's text, or of an input that is being written, into one event. Chunks
 * that arrive faster than they can be stored or sent are joined, and no text is lost. Undefined when the two cannot be
 * joined.
 */
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

/** How many characters of text can be joined to a chunk: none to an event that is no plain text of a message. */
export const roomForText = (event: SessionEvent): number =>
  event.type === "message-chunk" && isPlainText(event.block)
    ? MAX_JOINED_CHARACTERS - event.block.text.length
    : 0;

function joinedText(first: ContentBlock, second: ContentBlock): ContentBlock | undefined {
  if (!isPlainText(first) || !isPlainText(second) || !fits(first.text, second.text)) return undefined;
  return { type: "text", text: first.text + second.text };
}

const fits = (first: string, second: string): boolean =>
  first.length + second.length <= MAX_JOINED_CHARACTERS;

/** Text with annotations or metadata stays a separate block. */
function isPlainText(block: ContentBlock): block is ContentBlock & { type: "text" } {
  return block.type === "text" && !block.annotations && !block._meta;
}

/** The message ids of a step: its text has the step's id, and its thoughts have that id with a suffix. */
const THOUGHT = "-thought";

export const thoughtIdOf = (stepId: string): string => stepId + THOUGHT;

export const stepIdOf = (messageId: string): string =>
  messageId.endsWith(THOUGHT) ? messageId.slice(0, -THOUGHT.length) : messageId;
