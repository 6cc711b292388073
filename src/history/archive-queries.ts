/** The checks that every archive makes on a query before it reads anything. */
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, STATISTICS_KEYS } from "../call/index.js";
import type { PageOptions, StatisticsKey } from "../call/index.js";

const MAX_CURSOR_LENGTH = 64;

export function pageLimit({ limit = DEFAULT_PAGE_LIMIT }: PageOptions): number {
  if (Number.isInteger(limit) && limit > 0) return Math.min(limit, MAX_PAGE_LIMIT);
  throw new RangeError(
    `A page cannot have ${limit} items; ask for 1 to ${MAX_PAGE_LIMIT}. Nothing was read.`,
  );
}

/** The numbers of a cursor; empty without a cursor. */
export function cursorNumbers(cursor: string | undefined, count: number): readonly number[] {
  if (cursor === undefined) return [];
  const read = cursor.split(",").map(Number);
  if (read.length === count && read.every(Number.isFinite) && cursor.length < MAX_CURSOR_LENGTH) return read;
  throw new RangeError(
    `"${cursor.slice(0, MAX_CURSOR_LENGTH)}" is no place to go on from; use \`next\` of a page before. Nothing was read.`,
  );
}

export function checkStatisticsKey(by: StatisticsKey): void {
  // Untyped callers may pass any value.
  if (STATISTICS_KEYS.includes(by)) return;
  throw new RangeError(`There are no statistics by "${by as string}". Use ${STATISTICS_KEYS.join(", ")}.`);
}
