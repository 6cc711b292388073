import { expect, test } from "vitest";
import { countOf } from "../call/pluralize.js";
import { durationText, sizeText } from "./amounts.js";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [4_250, "4.2 s"],
  [59_999, "59.9 s"],
  [60_000, "1 min 0 s"],
  [3_599_999, "59 min 59 s"],
  [3_600_000, "1 h 0 min"],
  [86_399_999, "23 h 59 min"],
  [90_000_000, "1 d 1 h"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(durationText(5, 5 + milliseconds)).toBe(text);
});

test("shows no duration when it cannot be known", () => {
  expect(durationText(undefined, 5)).toBeUndefined();
  expect(durationText(5, undefined)).toBeUndefined();
  expect(durationText(6, 5)).toBeUndefined();
  expect(durationText(0, Number.NaN)).toBeUndefined();
});

test("one is one line, two are two lines, many are grouped", () => {
  expect([1, 2, 0, 1_234_567].map((count) => countOf(count, "line"))).toEqual([
    "1 line",
    "2 lines",
    "0 lines",
    "1,234,567 lines",
  ]);
});

test("sizes have three steps", () => {
  expect([999, 1_000, 2_500_000].map(sizeText)).toEqual(["999 B", "1.0 kB", "2.5 MB"]);
});
