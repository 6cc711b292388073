/**
 * Follows the answers that other people give, on a page or another terminal, to questions that are also open here. Only
 * Toolgate servers send these events; with other servers nothing arrives.
 */
import type { AapClient } from "../aap/client/index.js";
import { isYes } from "../call/index.js";
import type { Answer, Question, SessionEvent } from "../call/index.js";

/** Without an answer, the question was withdrawn. */
export type SettledElsewhere = { readonly answer?: Answer; readonly granted: boolean };

export class AnswersElsewhere {
  readonly #questions = new Map<string, Question>();
  readonly #settled = new Map<string, SettledElsewhere>();
  readonly #listeners = new Map<string, () => void>();

  /** Ends with the signal. An error only ends the following. */
  async follow(client: AapClient, sessionId: string, signal: AbortSignal): Promise<void> {
    if (!(await client.offers("session-events"))) return;
    try {
      for await (const { event } of client.sessionEvents(sessionId, { signal })) this.#read(event);
    } catch {
      // The server then refuses a late answer from here and reports that.
    }
  }

  /** How the call's last question was settled by someone else, if it was. */
  settled(toolCallId: string): SettledElsewhere | undefined {
    return this.#settled.get(toolCallId);
  }

  /** Calls `onSettled` when the call's question is settled, at once if it already is. Returns the function that unsubscribes. */
  listen(toolCallId: string, onSettled: () => void): () => void {
    this.#listeners.set(toolCallId, onSettled);
    if (this.#settled.has(toolCallId)) onSettled();
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
