/** Shows a session as text while it happens: words as they come, each call when it asks and when it ends. */
import type { AgentSession } from "../agent/index.js";
import { isOver, visibleText } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import { callText } from "../view/index.js";

export class LiveText {
  readonly #session: AgentSession;
  readonly #write: (text: string) => void;
  readonly #told = new Set<string>();
  /** Calls that someone was shown in full when they were asked: how they ended is one line then. */
  readonly #asked = new Set<string>();
  /** The message whose line is still open. */
  #speaking: string | undefined;
  /** What waits until the question on the screen is answered. */
  #held: string[] | undefined;

  constructor(session: AgentSession, write: (text: string) => void) {
    this.#session = session;
    this.#write = (text) => (this.#held ? void this.#held.push(text) : write(text));
    session.onRecorded((events) => {
      for (const event of events) this.#show(event);
    });
  }

  /** Shows a call as it stands, for whoever is about to be asked. */
  showCall(toolCallId: string): void {
    const call = this.#session.book.call(toolCallId);
    if (!call) return;
    this.endLine();
    const text = callText(call, {
      question: "asked",
      width: process.stdout.columns ?? 80,
      // Whoever is asked sees all of it.
      ...(!isOver(call.state) && { maxLines: 2_000 }),
    });
    const wasSeen = this.#asked.has(toolCallId) && call.state.status === "done" && call.kind === "edit";
    this.#write(`${wasSeen ? text.slice(0, text.indexOf("\n")) : text}\n`);
    if (!isOver(call.state)) this.#asked.add(toolCallId);
  }

  /** Keeps what happens from breaking into a question that somebody is reading. */
  pause(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#write(text);
  }

  endLine(): void {
    if (this.#speaking !== undefined) this.#write("\n\n");
    this.#speaking = undefined;
  }

  #show(event: SessionEvent): void {
    if (event.type === "message-chunk") {
      if (event.role === "user" || event.block.type !== "text") return;
      if (this.#speaking !== event.messageId) this.endLine();
      this.#speaking = event.messageId;
      this.#write(visibleText(event.block.text, { keepNewlines: true }));
    } else if ("toolCallId" in event) {
      const { toolCallId } = event;
      const call = this.#session.book.call(toolCallId);
      if (!call || !isOver(call.state) || this.#told.has(toolCallId)) return;
      this.#told.add(toolCallId);
      this.showCall(toolCallId);
      this.#write("\n");
    }
  }
}
