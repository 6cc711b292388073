import { expect, test } from "vitest";
import { colouredLines } from "./coloured-lines.js";
import { visibleLine } from "./visible-line.js";

const shown = (lines: readonly string[], from = 0) => colouredLines(lines, from, visibleLine);

test("keeps colours and escapes all other codes", () => {
  expect(shown(["\u001B[32mok\u001B[0m \u001B[2J\u001B]8;;x\u0007"])).toEqual([
    "\u001B[32mok\u001B[0m ⟨U+001B⟩[2J⟨U+001B⟩]8;;x⟨U+0007⟩",
  ]);
});

test("carries the colours that lines above have set, up to the last reset", () => {
  expect(shown(["\u001B[31mred", "\u001B[0;1mstill", "here", "\u001B[mplain", "end"], 2)[0]).toBe(
    "\u001B[31m\u001B[0;1mhere",
  );
  expect(shown(["\u001B[31mred\u001B[0m", "\u001B[1mbold", "last"], 2)).toEqual(["\u001B[1mlast"]);
});

test("shows a line that was written over as it ended, without its colours", () => {
  expect(shown(["\u001B[33m10 %\r\u001B[32mdone"])).toEqual(["done\u001B[33m\u001B[32m"]);
  const [long = ""] = shown([`\u001B[31m${"x".repeat(5_000)}`]);
  expect(long).toContain("characters left out");
});
