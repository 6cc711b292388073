/** The messages of a history so far, and the user message that is being put together. */
import type { ContentBlock } from "../../call/index.js";
import { wireContent } from "../api/content-blocks.js";
import type { Block, HistoryMessage } from "../client/protocol.js";

export class HistoryBuilder {
  messages: HistoryMessage[];
  #userMessage: { readonly messageId: string; readonly blocks: ContentBlock[] } | undefined;
  #lastUser: HistoryMessage | undefined;

  constructor(messages: readonly HistoryMessage[] = []) {
    this.messages = [...messages];
    this.#lastUser = messages.findLast(({ role }) => role === "user");
  }

  addAssistantMessage(blocks: readonly Block[]): void {
    if (blocks.length > 0) this.messages.push({ role: "assistant", content: blocks });
  }

  addUserChunk({ messageId, block }: { readonly messageId: string; readonly block: ContentBlock }): void {
    if (this.#userMessage?.messageId !== messageId) this.endUserMessage();
    this.#userMessage ??= { messageId, blocks: [] };
    this.#userMessage.blocks.push(block);
  }

  endUserMessage(): void {
    if (!this.#userMessage) return;
    this.#lastUser = { role: "user", content: wireContent(this.#userMessage.blocks) };
    this.messages.push(this.#lastUser);
    this.#userMessage = undefined;
  }

  /**
   * Replaces all earlier messages except the app's instructions. The user's last request is repeated after the
   * summary, because its turn may still run.
   */
  summarize(summary: string): void {
    this.messages = this.messages.filter(({ role }) => role === "system");
    this.messages.push({ role: "user", content: `Summary of the conversation so far:\n\n${summary}` });
    if (this.#lastUser) this.messages.push(this.#lastUser);
  }
}
