import { expect, test } from "vitest";
import { visibleLine, visibleName, wholeLine } from "./visible-line.js";

test("tabs become spaces up to the next stop, with a mark where they are to be seen", () => {
  expect(visibleLine("\ta\tbcde\tf")).toBe("    a   bcde    f");
  expect(visibleLine("\ta\tbcde\tf", "→")).toBe("→   a→  bcde→   f");
});

test("inside a line of ours, tabs and line ends are spelled out", () => {
  expect(visibleName("a\tb\nc\u202E")).toBe("a\\tb\\nc⟨U+202E⟩");
});

test("the middle of an endless line is left out, with a note, and no character is cut in two", () => {
  const shown = visibleLine(`x${"😀".repeat(5_000)}`);
  expect(shown).toMatch(/^x(?:😀)+ … 9,502 characters left out … (?:😀)+$/u);
  expect(visibleLine(`${"😀".repeat(5_000)}x`)).toMatch(/^(?:😀)+ … 9,502 characters left out … (?:😀)+x$/u);
  expect(wholeLine(`x${"y".repeat(5_000)}`)).toHaveLength(5_001);
});
