import { expect, test } from "vitest";
import { pluralize } from "./pluralize.js";

test("a count goes with its word", () => {
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
