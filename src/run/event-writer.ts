/**
 * Records events in order without making whoever reports them wait for the disk: what comes while one
 * append is under way goes into the next. What a tool reports wrongly is left out; its end is not.
 */
import { IllegalEvent, joinedEvents } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import type { SessionRecord } from "./session-record.js";

export class EventWriter {
  readonly #record: SessionRecord;
  #waiting: SessionEvent[] = [];
  #writing: Promise<void> | undefined;
  /** The first that could not be written: whoever flushes hears of it. */
  #failure: { readonly error: unknown } | undefined;

  constructor(record: SessionRecord) {
    this.#record = record;
  }

  add(event: SessionEvent): void {
    const last = this.#waiting.at(-1);
    const joined = last && joinedEvents(last, event);
    if (joined) this.#waiting[this.#waiting.length - 1] = joined;
    else this.#waiting.push(event);
    this.#writing ??= this.#write();
  }

  /**
   * Returns when all is recorded, with these last events in an append of their own. What happened on the way may
   * be lost when it could not be written; how it ended must not be, as long as it can be.
   */
  async flush(last: readonly SessionEvent[] = []): Promise<void> {
    await this.#writing;
    if (last.length > 0) return this.#record.record(last);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  async #write(): Promise<void> {
    // Let what comes in the same moment go into one append.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      try {
        await this.#writeSome(this.#waiting.splice(0));
      } catch (error) {
        this.#failure ??= { error };
      }
    }
    this.#writing = undefined;
  }

  async #writeSome(events: readonly SessionEvent[]): Promise<void> {
    try {
      await this.#record.record(events);
    } catch (error) {
      if (!(error instanceof IllegalEvent)) throw error;
      if (events.length > 1) for (const event of events) await this.#writeSome([event]);
    }
  }
}
