/** Records a foreign agent's updates. For one update that cannot be recorded the others are not lost. */
import { IllegalEvent } from "../../call/index.js";
import { emitWarning } from "../../run/emit-warning.js";
import type { ReportedCalls } from "../../run/reported-calls.js";
import { underAgentsId } from "./call-ids.js";
import { repaired } from "./update-fold.js";
import type { UpdateFold } from "./update-fold.js";

export class UpdateWriter {
  readonly #reported: ReportedCalls;
  readonly #fold: UpdateFold;
  readonly #now: () => number;

  constructor(reported: ReportedCalls, fold: UpdateFold, now: () => number) {
    this.#reported = reported;
    this.#fold = fold;
    this.#now = now;
  }

  /** Never throws. */
  async write(updates: readonly unknown[]): Promise<void> {
    await this.#write(updates.map(underAgentsId)).catch(emitWarning);
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
