/**
 * The difference between typing and answering. A person who writes a message when something is asked must not answer it by a letter of a
 * word: keys are answers only after a pause, and until then they go to the message.
 */
import type { ChatFooter } from "./chat-footer.js";

/** Shorter than anybody needs to read a question. */
const MIN_READ_MS = 300;
/** Someone who types presses the next key sooner. */
const PAUSE_MS = 500;

export class TypingPause {
  readonly #footer: ChatFooter;
  readonly #shownAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(footer: ChatFooter) {
    this.#footer = footer;
    this.wait();
  }

  /** Whether the next key is an answer. */
  get isOver(): boolean {
    return Date.now() >= this.#endsAt;
  }

  /** Draws the footer again when the pause is over. */
  wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => (this.isOver ? this.#footer.draw() : this.wait()),
      Math.max(1, this.#endsAt - Date.now()),
    );
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  get #endsAt(): number {
    return Math.max(this.#shownAt + MIN_READ_MS, this.#footer.lastKeyAt + PAUSE_MS);
  }
}
