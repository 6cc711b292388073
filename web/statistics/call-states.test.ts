import * as fc from "fast-check";
import { expect, test } from "vitest";
import { namedStates, stackOf } from "./call-states.js";

const counts = fc.record({
  done: fc.nat(50),
  failed: fc.nat(50),
  refused: fc.nat(50),
  cancelled: fc.nat(50),
  unknown: fc.nat(50),
  open: fc.nat(50),
});

test("names and draws every call once, whatever it came to", () => {
  fc.assert(
    fc.property(counts, (day) => {
      const calls = Object.values(day).reduce((sum, count) => sum + count, 0);
      expect(namedStates(day).reduce((sum, { name }) => sum + day[name], 0)).toBe(calls);
      const parts = stackOf(day);
      expect(parts.at(-1)?.to ?? 0).toBe(calls);
      for (const [index, { name, from, to }] of parts.entries()) {
        expect(to - from).toBe(day[name]);
        expect(from).toBe(parts[index - 1]?.to ?? 0);
      }
    }),
  );
});

test("gives each state a fill of its own", () => {
  const all = stackOf({ done: 1, failed: 1, refused: 1, cancelled: 1, unknown: 1, open: 1 });
  expect(new Set(all.map(({ fill }) => fill)).size).toBe(6);
});
