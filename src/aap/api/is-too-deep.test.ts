import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isTooDeep } from "./is-too-deep.js";

const nested = (depth: number, [open, close] = ["[", "]"]) => `${open.repeat(depth)}1${close.repeat(depth)}`;

test.each([
  ["[", "]"],
  ['{"a":', "}"],
])("allows %s 128 deep and no deeper", (open, close) => {
  expect(isTooDeep(nested(128, [open, close]))).toBe(false);
  expect(isTooDeep(nested(129, [open, close]))).toBe(true);
});

test("finds a hundred thousand levels without overflowing", () => {
  expect(isTooDeep(nested(100_000))).toBe(true);
  expect(isTooDeep("[".repeat(100_000))).toBe(true);
});

test("does not count brackets in texts or siblings", () => {
  expect(isTooDeep(JSON.stringify({ text: '"\\[{'.repeat(1000) }))).toBe(false);
  expect(isTooDeep(JSON.stringify(Array.from({ length: 1000 }, () => [{}])))).toBe(false);
});

test("agrees with counting the levels of any JSON", () => {
  const levels = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map((one: unknown) => levels(one)))
      : 0;
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 140 }), (value, around) => {
      const text = nested(around).replace("1", JSON.stringify(value));
      expect(isTooDeep(text)).toBe(around + levels(value) > 128);
    }),
  );
});
