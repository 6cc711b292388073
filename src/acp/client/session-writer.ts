/** Records what an agent says, and what follows from it. Answers need no lease: when one comes in between, it is looked at anew. */
import { IllegalEvent } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";
import type { SessionRecord } from "../../record/index.js";
import type { Breaches } from "./breaches.js";
import { underAgentsId } from "./call-ids.js";
import { repaired } from "./update-fold.js";
import type { UpdateFold } from "./update-fold.js";

const MOST_TRIES = 5;

export type WriterOptions = { readonly breaches: Breaches; readonly now: () => number };

export class SessionWriter {
  readonly #record: SessionRecord;
  readonly #fold: UpdateFold;
  readonly #breaches: Breaches;
  readonly #now: () => number;

  constructor(record: SessionRecord, fold: UpdateFold, { breaches, now }: WriterOptions) {
    this.#record = record;
    this.#fold = fold;
    this.#breaches = breaches;
    this.#now = now;
  }

  /** Events that are made from the newest state, durably. */
  async recordMade(make: () => readonly SessionEvent[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#record.appendLatest(make);
      } catch (error) {
        if (!(error instanceof IllegalEvent) || tries >= MOST_TRIES) throw error;
      }
    }
  }

  /** Never throws. For one update that cannot be recorded the others are not lost. */
  async take(sent: readonly unknown[]): Promise<void> {
    const updates = sent.map(underAgentsId);
    try {
      await this.#record.append(await this.#breaches.marked(this.#fold.read(updates)));
    } catch (error) {
      if (error instanceof IllegalEvent) await this.#takeAgain(updates);
      else tell(error);
    }
  }

  async #takeAgain(updates: readonly unknown[]): Promise<void> {
    try {
      let events: readonly SessionEvent[] = [];
      await this.recordMade(() => (events = this.#fold.read(updates)));
      // The breaches that they report come after them here.
      const marked = await this.#breaches.marked(events);
      await this.#record.append(marked.filter((event) => !events.includes(event)));
    } catch (error) {
      if (!(error instanceof IllegalEvent)) return tell(error);
      if (updates.length > 1) for (const update of updates) await this.#takeAgain([update]);
      else await this.#leaveOut(error.message);
    }
  }

  async #leaveOut(why: string): Promise<void> {
    await this.#record.append([repaired(this.#now(), "update-left-out", why)]).catch(tell);
  }
}

/** The record cannot be written: what was said is lost, and someone should know. */
export function tell(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
