import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Rate } from "./rate.js";

test("an address may ask for two seconds' worth at once, and then as fast as the rate is", () => {
  const rate = new Rate(10);
  const burst = Array.from({ length: 30 }, () => rate.take("a", 0));
  expect(burst.filter(Boolean)).toHaveLength(20);
  const second = Array.from({ length: 30 }, () => rate.take("a", 1000));
  expect(second.filter(Boolean)).toHaveLength(10);
});

test("one address does not use up another's", () => {
  const rate = new Rate(1);
  while (rate.take("a", 0));
  expect(rate.take("b", 0)).toBe(true);
});

test("however it is asked, no more is given than the rate and one bucket", () => {
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

test("addresses that are gone are forgotten, and those that have used theirs up are not", () => {
  const rate = new Rate(1);
  rate.take("greedy", 0);
  rate.take("greedy", 0);
  for (let index = 0; index < 5000; index += 1) rate.take(`a${index}`, 0);
  expect(rate.take("greedy", 0)).toBe(false);
});
