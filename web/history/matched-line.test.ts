import { expect, test } from "vitest";
import { matchedLine } from "./matched-line.js";

const pieces = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ text, isMatch: index % 2 === 1 }));

test("takes the line with the words, and none where only the title has them", () => {
  const excerpt = pieces("Edit a.ts\nedit_file\n/shop/", "total", ".js\nmore");
  expect(matchedLine(excerpt, "Edit a.ts")).toEqual(pieces("/shop/", "total", ".js"));
  expect(matchedLine(pieces("Edit ", "total", ".js\nedit_file"), "Edit total.js")).toBeUndefined();
});
