/** Folds the chunks of one message as they arrive. Text is joined; the message's value is made on demand. */
import type { ContentBlock } from "./content.js";
import { isPlainText } from "./joined-events.js";
import type { Message, MessageRole } from "./session.js";

type Chunk = {
  readonly messageId: string;
  readonly role: MessageRole;
  readonly at: number;
  readonly block: ContentBlock;
};

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
