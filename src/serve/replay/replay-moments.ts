/**
 * The moments of a session that are worth a look, in their order: messages, calls as they are announced, asked about,
 * started and ended, the plan, the ends of turns. A streamed message is one moment, at its last piece.
 */
import { oneLine } from "../../call/index.js";
import type { RecordedEvent, SessionEvent } from "../../call/index.js";
import { eventLine } from "../sessions/event-line.js";

export type Moment = {
  /** The last event of the moment. */
  seq: number;
  at: number;
  readonly words: string;
  readonly toolCallId?: string;
  /** Set for a message, which may still grow. */
  readonly messageId?: string;
};

const MAX_TITLE = 80;

export class ReplayMoments {
  readonly #moments: Moment[] = [];
  readonly #titles = new Map<string, string>();
  /** Calls by the ids of their questions. */
  readonly #asked = new Map<string, string>();

  get all(): readonly Moment[] {
    return this.#moments;
  }

  add({ seq, event }: RecordedEvent): void {
    const line = eventLine(event);
    if (line?.is !== "moment") return;
    const { at } = event;
    if (event.type === "message-chunk") {
      const messageId = `${event.role} ${event.messageId}`;
      const last = this.#moments.at(-1);
      if (last?.messageId === messageId) Object.assign(last, { seq, at });
      else this.#moments.push({ seq, at, words: line.words, messageId });
      return;
    }
    if (event.type === "call-announced") this.#titles.set(event.toolCallId, oneLine(event.title, MAX_TITLE));
    if (event.type === "question-asked") this.#asked.set(event.question.questionId, event.toolCallId);
    const toolCallId = this.#callOf(event);
    const title = toolCallId === undefined ? undefined : this.#titles.get(toolCallId);
    const words = title === undefined ? line.words : `${line.words}: ${title}`;
    this.#moments.push({ seq, at, words, ...(toolCallId !== undefined && { toolCallId }) });
  }

  /** The first moment of a call, or the last one up to an event; from 1. */
  numberOf({ call, seq }: { readonly call?: string | undefined; readonly seq?: number | undefined }): number {
    const at =
      call === undefined
        ? this.#moments.findLastIndex((one) => one.seq <= (seq ?? Infinity))
        : this.#moments.findIndex((one) => one.toolCallId === call);
    return Math.max(1, at + 1);
  }

  #callOf(event: SessionEvent): string | undefined {
    if ("toolCallId" in event) return event.toolCallId;
    return "questionId" in event ? this.#asked.get(event.questionId) : undefined;
  }
}
