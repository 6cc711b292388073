/**
 * Records events in order without making whoever reports them wait for the disk: what comes while one
 * append is under way goes into the next.
 */
import type { SessionEvent } from "../call/index.js";
import type { SessionRecord } from "./session-record.js";

export class EventWriter {
  readonly #record: SessionRecord;
  #waiting: SessionEvent[] = [];
  #writing: Promise<void> | undefined;

  constructor(record: SessionRecord) {
    this.#record = record;
  }

  add(event: SessionEvent): void {
    this.#waiting.push(event);
    this.#writing ??= this.#write();
    // Whoever calls `flush` hears of a failure; until then it must not be an unhandled one.
    this.#writing.catch(() => undefined);
  }

  /** Returns when all is recorded, with these last events in the same append as what still waits. */
  async flush(last: readonly SessionEvent[] = []): Promise<void> {
    await this.#writing;
    await this.#record.record([...this.#waiting.splice(0), ...last]);
  }

  async #write(): Promise<void> {
    // Let what comes in the same moment go into one append.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#record.record(this.#waiting.splice(0));
    this.#writing = undefined;
  }
}
