/**
 * Hears when a question of a server's session is answered by somebody else, on a page or another terminal, while it is
 * also asked here. Only servers of ours tell; elsewhere nothing is ever heard.
 */
import type { AapClient } from "../aap/client/index.js";
import { isYes } from "../call/index.js";
import type { Answer, Question, SessionEvent } from "../call/index.js";

/** Without an answer, the question was taken back. */
export type SettledElsewhere = { readonly answer?: Answer; readonly granted: boolean };

export class AnswersElsewhere {
  readonly #questions = new Map<string, Question>();
  readonly #settled = new Map<string, SettledElsewhere>();
  readonly #listeners = new Map<string, () => void>();

  /** Ends with the signal. What goes wrong on the way only means that nothing more is heard. */
  async follow(client: AapClient, sessionId: string, signal: AbortSignal): Promise<void> {
    if (!(await client.offers("session-events"))) return;
    try {
      for await (const { event } of client.sessionEvents(sessionId, { signal })) this.#read(event);
    } catch {
      // The answer that is given here is then refused by the server, which says so.
    }
  }

  /** How the call's last question was settled by someone else, if it was. */
  settled(toolCallId: string): SettledElsewhere | undefined {
    return this.#settled.get(toolCallId);
  }

  /** `tell` is called when the call's question is settled, at once if it is. Returns the function that ends this. */
  listen(toolCallId: string, tell: () => void): () => void {
    this.#listeners.set(toolCallId, tell);
    if (this.#settled.has(toolCallId)) tell();
    return () => void this.#listeners.delete(toolCallId);
  }

  #read(event: SessionEvent): void {
    if (event.type === "question-asked") {
      this.#questions.set(event.question.questionId, event.question);
      this.#settled.delete(event.toolCallId);
    } else if (event.type === "question-answered" || event.type === "question-withdrawn") {
      const question = this.#questions.get(event.questionId);
      if (!question) return;
      const { toolCallId } = question;
      const settled =
        event.type === "question-answered"
          ? { answer: event.answer, granted: isYes(question, event.answer) }
          : { granted: false };
      this.#settled.set(toolCallId, settled);
      this.#listeners.get(toolCallId)?.();
    }
  }
}
