/** The conditions of one query over the index, with their values. SQL text never contains a value. */
import type { PageOptions, Period, PeriodQuery } from "../../../call/index.js";
import { cursorNumbers } from "../../archive-queries.js";
import { storable } from "../../archive-text.js";
import type { SqlValue } from "../ledger-sql.js";
import { firstIdAt } from "./index-tables.js";

export class Conditions {
  readonly values: SqlValue[] = [];
  readonly #conditions: string[] = [];

  add(condition: string, ...values: readonly SqlValue[]): void {
    this.#conditions.push(condition);
    this.values.push(...values);
  }

  addPeriod(id: string, { since, until, before }: Period & PageOptions): void {
    if (since !== undefined) this.add(`${id} >= ?`, firstIdAt(since));
    const [below] = cursorNumbers(before, 1);
    const ends = [below, until === undefined ? undefined : firstIdAt(until)].filter(
      (end) => end !== undefined,
    );
    if (ends.length > 0) this.add(`${id} < ?`, Math.min(...ends));
  }

  addSessions({ cwd, agent }: Pick<PeriodQuery, "cwd" | "agent">): void {
    if (cwd !== undefined) this.add("sessions.cwd = ?", storable(cwd));
    if (agent !== undefined) this.add("sessions.agent = ?", storable(agent));
  }

  get sql(): string {
    return this.#conditions.length === 0 ? "" : `where ${this.#conditions.join(" and ")}`;
  }
}
