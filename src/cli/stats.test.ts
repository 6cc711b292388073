import { expect, test } from "vitest";
import type { CallStatistics } from "../call/index.js";
import { statsTable } from "./stats.js";

const calls = (key: string, more: Partial<CallStatistics> = {}): CallStatistics => ({
  key,
  calls: 12,
  done: 12,
  failed: 0,
  refused: 0,
  cancelled: 0,
  unknown: 0,
  open: 0,
  decidedByRule: 4,
  decidedByPerson: 8,
  contained: 0,
  breaches: 0,
  ranMs: { p50: 28, p95: 88 },
  waitedMs: { p50: 4_800, p95: 84_000 },
  ...more,
});

test("shows the columns that fit into the terminal, whole", () => {
  const statistics = [calls("write_file"), calls("terminal", { cancelled: 1 })];
  const head = (width: number) => statsTable("tool", statistics, width).split("\n")[0];
  expect(head(200)).toBe(
    "tool        calls  done  failed  refused  cancelled  unknown  open  by rule  by a person  ran p50/p95    waited p50/p95",
  );
  expect(head(100)).toBe(
    "tool        calls  done  cancelled  by rule  by a person  ran p50/p95    waited p50/p95",
  );
  expect(head(70)).toBe("tool        calls  done  cancelled  by rule  by a person  ran p50/p95");
  expect(head(60)).toBe("tool        calls  done  cancelled  by rule  by a person");
  expect(statsTable("tool", statistics, 60).split("\n")).toHaveLength(3);
});
