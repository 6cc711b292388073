/** While questions wait, answers may come from anywhere: the ledger is followed as long as there are some. */
import type { SessionRecord } from "../../record/index.js";
import { tell } from "./session-writer.js";

export type FollowOptions = {
  readonly record: SessionRecord;
  /** How many questions wait. */
  readonly waiting: () => number;
  /** Takes up the answers that have come in. */
  readonly settle: () => Promise<void>;
};

export class FollowedAnswers {
  readonly #options: FollowOptions;
  readonly #closed = new AbortController();
  #isFollowing = false;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** A question was recorded. */
  follow(): void {
    if (this.#isFollowing || this.#closed.signal.aborted) return;
    this.#isFollowing = true;
    void this.#followAll().finally(() => {
      this.#isFollowing = false;
      // One may have been asked in the very moment the last was answered.
      if (this.#options.waiting() > 0) this.follow();
    });
  }

  close(): void {
    this.#closed.abort();
  }

  async #followAll(): Promise<void> {
    const { record, waiting, settle } = this.#options;
    const { ledger, sessionId, seq } = record;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closed.signal]);
    try {
      for await (const { event } of ledger.follow(sessionId, { after: seq, signal })) {
        if (event.type !== "question-answered" && event.type !== "question-withdrawn") continue;
        await settle();
        if (waiting() === 0) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      tell(error);
      // Whoever answers wakes the session all the same.
      this.close();
    } finally {
      stop.abort();
    }
  }
}
