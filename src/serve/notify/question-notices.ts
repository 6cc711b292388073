/**
 * Sends a notice for each question that stays open for a while. One that is answered at once, in the page, in the editor
 * or at the terminal, disturbs nobody.
 */
import type { InboxQuestion } from "../api/question-bodies.js";
import type { LiveHub } from "../live/live-hub.js";
import type { Notice, Notifier } from "./notice.js";
import { NotSent } from "./post-notice.js";
import { errorMessage } from "../../call/error-message.js";

export type NotifyOptions = {
  readonly hub: Pick<LiveHub, "subscribe">;
  /** Read when a notice is sent, since browsers subscribe and are revoked meanwhile. */
  readonly notifiers: () => readonly Notifier[];
  readonly afterMs: number;
  readonly linkTo: (questionId: string) => string;
  readonly onError: (error: unknown) => void;
};

const RETRY_AFTER_MS = [1_000, 5_000];
/** Notices in one minute, so that an agent that asks without end does not ring without end. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

export class QuestionNotices {
  readonly #options: NotifyOptions;
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  readonly #stop: () => void;
  #sentAt: number[] = [];

  constructor(options: NotifyOptions) {
    this.#options = options;
    this.#stop = options.hub.subscribe(({ frame }) => {
      if (frame.type !== "question") return;
      if (!frame.question.isAnswerable) this.#forget(frame.question.questionId);
      // A question that grows old had its notice when it was asked, maybe before this start.
      else if (frame.change === "asked") this.#note(frame.question);
    });
  }

  close(): void {
    this.#stop();
    for (const questionId of this.#waiting.keys()) this.#forget(questionId);
  }

  #note({ questionId, title }: InboxQuestion): void {
    if (this.#waiting.has(questionId)) return;
    const timer = setTimeout(() => this.#ring({ questionId, title }), this.#options.afterMs).unref();
    this.#waiting.set(questionId, timer);
  }

  #forget(questionId: string): void {
    clearTimeout(this.#waiting.get(questionId));
    this.#waiting.delete(questionId);
  }

  #ring({ questionId, title }: Pick<InboxQuestion, "questionId" | "title">): void {
    const { notifiers, linkTo, onError } = this.#options;
    const now = performance.now();
    this.#sentAt = this.#sentAt.filter((at) => now - at < MINUTE_MS);
    if (this.#sentAt.length >= MAX_PER_MINUTE) return;
    this.#sentAt.push(now);
    const notice = { questionId, title, url: linkTo(questionId) };
    for (const notifier of notifiers())
      void sendNotice(notifier, notice, () => this.#waiting.has(questionId)).catch(onError);
  }
}

/** Tries again where that may help, as long as the notice is `wanted`. */
async function sendNotice(notifier: Notifier, notice: Notice, wanted: () => boolean): Promise<void> {
  for (const pauseMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      return await notifier.send(notice);
    } catch (error) {
      if (pauseMs === undefined || !(error instanceof NotSent) || !error.isPassing)
        throw new Error(`No notification was sent by ${notifier.name}: ${errorMessage(error)}.`, {
          cause: error,
        });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    if (!wanted()) return;
  }
}
