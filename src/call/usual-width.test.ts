import { expect, test } from "vitest";
import type { OfferedWidth } from "./question.js";
import { usualWidth, widthsUsualFirst } from "./usual-width.js";

const offered = (...widths: readonly string[]): { readonly widths: readonly OfferedWidth[] } => ({
  widths: [...widths.map((width) => ["allow", width] as const), ["deny", "subcommand"] as const].map(
    ([effect, width]) => ({ effect, width, rules: [], subject: width, sentence: width, examples: [] }),
  ),
});

test.each([
  [
    "the class of a command, not its family and not its very words",
    ["family", "subcommand", "exact"],
    "subcommand",
  ],
  ["the parts of a compound command", ["family", "parts", "exact"], "parts"],
  ["the file that is edited, not its folder", ["edits", "exact"], "exact"],
  ["the folder that is read", ["folder", "exact"], "folder"],
  ["the only one there is", ["family"], "family"],
])("the usual width is %s", (_, widths, usual) => {
  expect(usualWidth(offered(...widths))?.width).toBe(usual);
  expect(widthsUsualFirst(offered(...widths)).map(({ width }) => width)).toEqual([
    usual,
    ...widths.filter((width) => width !== usual),
  ]);
});

test("has no usual width when nothing can be allowed always", () => {
  expect(usualWidth(offered())).toBeUndefined();
  expect(usualWidth({})).toBeUndefined();
});
