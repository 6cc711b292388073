/** Chunks of one message, folded as they come. Text is joined; the value to show is made when asked for. */
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
  readonly #blocks: ContentBlock[];
  #made: Message | undefined;

  constructor(first: Chunk) {
    this.#first = first;
    this.#blocks = [first.block];
  }

  takes(chunk: Chunk): boolean {
    return chunk.messageId === this.#first.messageId && chunk.role === this.#first.role;
  }

  push(block: ContentBlock): void {
    const last = this.#blocks.at(-1);
    if (isPlainText(block) && isPlainText(last)) {
      this.#blocks[this.#blocks.length - 1] = { type: "text", text: last.text + block.text };
    } else {
      this.#blocks.push(block);
    }
    this.#made = undefined;
  }

  message(): Message {
    const { messageId, role, at } = this.#first;
    this.#made ??= { messageId, role, at, blocks: [...this.#blocks] };
    return this.#made;
  }
}
