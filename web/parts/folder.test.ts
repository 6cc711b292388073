import { expect, test } from "vitest";
import { withShortPaths } from "./folder.js";

test("leaves the project's folder out of its paths, and of no others", () => {
  const folder = "/home/ann/shop";
  expect(withShortPaths("Reads /home/ann/shop/a.ts and '/home/ann/shop/b c.ts'.", folder)).toBe(
    "Reads a.ts and 'b c.ts'.",
  );
  for (const text of [
    "Edits /backup/home/ann/shop/a.ts.",
    "Lists /home/ann/shop.",
    "Edits /home/ann/shop2/a.",
  ])
    expect(withShortPaths(text, folder)).toBe(text);
});
