import { expect, test } from "vitest";
import { filterPath, historyQuery, readFilters } from "./history-query.js";

const NOW = new Date(2026, 10, 19, 15).getTime();
const start = (month: number, day: number) => new Date(2026, month - 1, day).getTime();

test.each([
  ["days=7", { since: NOW - 7 * 86_400_000 }],
  ["days=range&from=2026-10-03&to=2026-11-02", { since: start(10, 3), until: start(11, 3) }],
  ["days=range&from=2026-11-30", { since: start(11, 30) }],
  ["days=range&to=2026-11-30", { until: start(12, 1) }],
  ["days=range&from=yesterday&to=2026-11", {}],
  ["days=range", {}],
  // Days count only where they are chosen.
  ["from=2026-10-03&to=2026-11-02", {}],
])("asks for the calls of %s, and keeps it in the address", (search, query) => {
  const filters = readFilters(`?${search}`);
  expect(historyQuery(filters, NOW)).toEqual(query);
  expect(filterPath(filters)).toBe(`/history?${search}`);
});
