import * as fc from "fast-check";
import { expect, test } from "vitest";
import { columns, rows, visibleLine, visibleName, wholeLine } from "./visible-line.js";

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

const quote = { first: "│ ", next: "┆ " };

test("a line that fits is one row", () => {
  expect(rows("a b", quote, 20)).toEqual(["│ a b"]);
  expect(rows("", quote, 20)).toEqual(["│"]);
});

test("a long line is broken after a space, and each row has its prefix", () => {
  expect(rows("the quick brown fox jumps", quote, 12)).toEqual(["│ the quick", "┆ brown fox", "┆ jumps"]);
});

test("a long word is broken anywhere, and wide characters count twice", () => {
  expect(rows("abcdefghij", quote, 6)).toEqual(["│ abcd", "┆ efgh", "┆ ij"]);
  expect(rows("世界世界", quote, 6)).toEqual(["│ 世界", "┆ 世界"]);
});

test("an accent stays with its letter", () => {
  expect(rows("aaae\u0301b", quote, 6)).toEqual(["│ aaae\u0301", "┆ b"]);
});

test("indentation stays, and makes no row of its own", () => {
  expect(rows("    abcdefghij", quote, 12)).toEqual(["│     abcdef", "┆ ghij"]);
});

test("no row is wider than asked for, and no character that can be seen is lost", () => {
  const line = fc.string({ unit: fc.constantFrom("a", " ", "世", "e\u0301", "😀", "-"), maxLength: 200 });
  fc.assert(
    fc.property(line, fc.integer({ min: 16, max: 40 }), (text, width) => {
      const made = rows(text, { first: "", next: "        " }, width);
      for (const row of made) expect(columns(row)).toBeLessThanOrEqual(width);
      expect(made.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
});

test("counts the columns of common characters as it counts those of rare ones", () => {
  for (let code = 0x20; code < 0x3000; code += 1) {
    const character = String.fromCodePoint(code);
    if (/\p{M}/u.test(character)) continue;
    // A wide character takes the text off the short way.
    expect(columns(`世${character}`)).toBe(2 + columns(character));
  }
});
