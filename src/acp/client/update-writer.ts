/** Records a foreign agent's updates. For one update that cannot be recorded the others are not lost. */
import { IllegalEvent } from "../../call/index.js";
import { emitWarning } from "../../run/emit-warning.js";
import type { ReportedCalls } from "../../run/reported-calls.js";
import { underAgentsId } from "./call-ids.js";
import type { UnannouncedCalls } from "./unannounced-calls.js";
import { repaired } from "./update-fold.js";
import type { UpdateFold } from "./update-fold.js";

type WriterParts = {
  readonly reported: ReportedCalls;
  readonly fold: UpdateFold;
  readonly unannounced: UnannouncedCalls;
  readonly now: () => number;
};

export class UpdateWriter {
  readonly #reported: ReportedCalls;
  readonly #fold: UpdateFold;
  readonly #unannounced: UnannouncedCalls;
  readonly #now: () => number;

  constructor({ reported, fold, unannounced, now }: WriterParts) {
    this.#reported = reported;
    this.#fold = fold;
    this.#unannounced = unannounced;
    this.#now = now;
  }

  /** Never throws. */
  async write(updates: readonly unknown[]): Promise<void> {
    const underOurIds = this.#unannounced.join(updates.map(underAgentsId));
    if (underOurIds.length > 0) await this.#write(underOurIds).catch(emitWarning);
  }

  async #write(updates: readonly unknown[]): Promise<void> {
    try {
      await this.#reported.record(() => this.#fold.read(updates));
    } catch (error) {
      if (!(error instanceof IllegalEvent)) throw error;
      if (updates.length > 1) for (const update of updates) await this.#write([update]);
      else await this.#reported.record(() => [repaired(this.#now(), "update-left-out", error.message)]);
    }
  }
}
