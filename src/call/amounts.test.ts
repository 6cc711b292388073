import { expect, test } from "vitest";
import { countOf, durationText, pluralize, sizeText } from "./amounts.js";

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

test("writes one line, two lines, and groups the digits of large numbers", () => {
  expect([1, 2, 0, 1_234_567].map((count) => countOf(count, "line"))).toEqual([
    "1 line",
    "2 lines",
    "0 lines",
    "1,234,567 lines",
  ]);
});

test("takes a plural that does not end in s", () => {
  expect(countOf(2, "entry", "entries")).toBe("2 entries");
});

test("makes a noun agree with its amount", () => {
  expect([0, 1, 2, 1234].map((count) => pluralize(count, "file"))).toEqual([
    "0 files",
    "1 file",
    "2 files",
    "1234 files",
  ]);
  expect([1, 2].map((count) => pluralize(count, "entry is", "entries are"))).toEqual([
    "1 entry is",
    "2 entries are",
  ]);
});

test("shows a size in the largest unit that it fills, never rounded up", () => {
  const sizes: readonly (readonly [number, string])[] = [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 kB"],
    [1535, "1.4 kB"],
    [1536, "1.5 kB"],
    [150.9 * 1024, "150 kB"],
    [1024 ** 2 - 1, "1023 kB"],
    [10 * 1024 ** 2, "10 MB"],
    [1024 ** 3, "1 GB"],
    [5000 * 1024 ** 4, "5000 TB"],
  ];
  for (const [bytes, text] of sizes) expect(sizeText(bytes)).toBe(text);
});
