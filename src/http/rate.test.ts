import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Rate } from "./rate.js";

test("allows a burst of two seconds, then the plain rate", () => {
  const rate = new Rate(10);
  const burst = Array.from({ length: 30 }, () => rate.take("a", 0));
  expect(burst.filter(Boolean)).toHaveLength(20);
  const second = Array.from({ length: 30 }, () => rate.take("a", 1000));
  expect(second.filter(Boolean)).toHaveLength(10);
});

test("limits each address by itself", () => {
  const rate = new Rate(1);
  while (rate.take("a", 0));
  expect(rate.take("b", 0)).toBe(true);
});

test("never gives more than the rate and one bucket", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.nat(500), { maxLength: 300 }),
      (perSecond, waits) => {
        const rate = new Rate(perSecond);
        let now = 0;
        const given = waits.filter((wait) => rate.take("a", (now += wait))).length;
        expect(given).toBeLessThanOrEqual(2 * perSecond + (now / 1000) * perSecond + 1e-6);
      },
    ),
  );
});

test("drops buckets of idle addresses and keeps used-up ones", () => {
  const rate = new Rate(1);
  rate.take("greedy", 0);
  rate.take("greedy", 0);
  for (let index = 0; index < 5000; index += 1) rate.take(`a${index}`, 0);
  expect(rate.take("greedy", 0)).toBe(false);
});

test("gives what buckets that are never dropped give, to any number of addresses", () => {
  const waits = fc.array(fc.tuple(fc.nat(3), fc.nat(1_500)), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), waits, (perSecond, requests) => {
      const rate = new Rate(perSecond);
      const buckets = new Map<number, { readonly left: number; readonly at: number }>();
      let now = 0;
      for (const [address, wait] of requests) {
        now += wait;
        const { left, at } = buckets.get(address) ?? { left: 2 * perSecond, at: now };
        const filled = Math.min(2 * perSecond, left + ((now - at) / 1000) * perSecond);
        if (filled >= 1) buckets.set(address, { left: filled - 1, at: now });
        expect(rate.take(`${address}`, now)).toBe(filled >= 1);
      }
    }),
  );
});

test("costs the same for each of many addresses", () => {
  const rate = new Rate(1);
  const before = process.cpuUsage();
  for (let index = 0; index < 40_000; index += 1) rate.take(`address ${index}`, index / 100);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000_000).toBeLessThan(1);
});
