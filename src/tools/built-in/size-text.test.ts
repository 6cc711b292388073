import { expect, test } from "vitest";
import { countOf } from "../../call/pluralize.js";
import { sizeText } from "./size-text.js";

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

test("a count goes with its word", () => {
  expect([0, 1, 1234567].map((count) => countOf(count, "file"))).toEqual([
    "0 files",
    "1 file",
    "1,234,567 files",
  ]);
  expect(countOf(2, "entry", "entries")).toBe("2 entries");
});
