/** The text so far of the answer that the model is giving. */
import { stepIdOf } from "../../call/index.js";
import type { ContentBlock } from "../../call/index.js";
import type { Block } from "../client/protocol.js";

type Chunk = {
  readonly messageId: string;
  readonly role: "user" | "agent" | "thought";
  readonly block: ContentBlock;
};

export class MessageDraft {
  #stepId: string | undefined;
  #thinking = "";
  #text = "";

  /** Whether this message cuts off the one that was started. */
  isCutOffBy(messageId: string): boolean {
    return this.#stepId !== undefined && this.#stepId !== stepIdOf(messageId);
  }

  /** Returns the text of the chunk. */
  add({ messageId, role, block }: Chunk): string {
    this.#stepId = stepIdOf(messageId);
    const text = block.type === "text" ? block.text : "";
    if (role === "thought") this.#thinking += text;
    else this.#text += text;
    return text;
  }

  /** Returns the answer so far, and begins a new one. */
  take(): readonly Block[] {
    const blocks: Block[] = [];
    if (this.#thinking !== "") blocks.push({ type: "thinking", thinking: this.#thinking });
    if (this.#text !== "") blocks.push({ type: "text", text: this.#text });
    this.#stepId = undefined;
    this.#thinking = "";
    this.#text = "";
    return blocks;
  }
}
