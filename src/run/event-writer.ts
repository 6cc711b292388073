/**
 * Records events in order without making whoever reports them wait for the disk: what comes while one
 * append is under way goes into the next. What a tool reports wrongly is left out; its end is not.
 */
import { joinedEvents } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import type { Part } from "./gathered-events.js";
import type { SessionRecord } from "./session-record.js";

export class EventWriter {
  readonly #record: SessionRecord;
  /** What was handed over last: more can join it until it is taken. */
  #last: Part | undefined;
  /** Each hands over what must be recorded, once what was reported before it is recorded, or could not be. */
  readonly #waiting: (() => void)[] = [];
  /** The first that could not be written: whoever flushes hears of it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(record: SessionRecord) {
    this.#record = record;
  }

  add(event: SessionEvent): void {
    if (!this.#last || this.#last.isTaken) {
      const part = this.#record.report(event, this.#heard);
      this.#last = part?.isTaken ? undefined : part;
      return;
    }
    const { events } = this.#last;
    const before = events.at(-1);
    const joined = before && joinedEvents(before, event);
    if (joined) events[events.length - 1] = joined;
    else events.push(event);
  }

  /**
   * Returns when all is recorded, or said (said-words.ts), with these last events in an append after what was reported before. What happened on
   * the way may be lost when it could not be written; how it ended must not be, as long as it can be.
   */
  async flush(last: readonly SessionEvent[] = []): Promise<void> {
    if (last.length > 0) {
      // Appends keep their order: when these are recorded, so is what was reported before.
      if (this.#last?.isTaken !== false && this.#waiting.length === 0) return this.#record.record(last);
      // Whoever watches is to see what came just before the end.
      return new Promise((resolve, reject) => {
        this.#waiting.push(() => void this.#record.record(last).then(resolve, reject));
      });
    }
    await this.#record.settled();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  readonly #heard = (failure?: { readonly error: unknown }): void => {
    this.#failure ??= failure;
    // More may have been reported meanwhile.
    if (this.#waiting.length > 0 && this.#last?.isTaken !== false)
      for (const handOver of this.#waiting.splice(0)) handOver();
  };
}
