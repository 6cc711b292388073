import * as fc from "fast-check";
import { expect, test } from "vitest";
import xterm from "@xterm/headless";
import { visibleText } from "../call/index.js";
import { columns, rows, visibleLine, visibleName, wholeLine } from "./visible-line.js";

test("tabs become spaces up to the next stop, with a mark where they are to be seen", () => {
  expect(visibleLine("\ta\tbcde\tf")).toBe("    a   bcde    f");
  expect(visibleLine("\ta\tbcde\tf", "→")).toBe("→   a→  bcde→   f");
});

test("inside a line of ours, tabs and line ends are spelled out", () => {
  expect(visibleName("a\tb\nc\u202E")).toBe("a\\tb\\nc⟨U+202E⟩");
});

test("cuts the middle of a very long line with a note, between characters", () => {
  const shown = visibleLine(`x${"😀".repeat(5_000)}`);
  expect(shown).toMatch(/^x(?:😀)+ … 9,502 characters left out … (?:😀)+$/u);
  expect(visibleLine(`${"😀".repeat(5_000)}x`)).toMatch(/^(?:😀)+ … 9,502 characters left out … (?:😀)+x$/u);
  expect(wholeLine(`x${"y".repeat(5_000)}`)).toHaveLength(5_001);
});

const quote = { first: "│ ", next: "┆ " };

test("keeps a line that fits as one row", () => {
  expect(rows("a b", quote, 20)).toEqual(["│ a b"]);
  expect(rows("", quote, 20)).toEqual(["│"]);
});

test("breaks a long line after a space and prefixes each row", () => {
  expect(rows("the quick brown fox jumps", quote, 12)).toEqual(["│ the quick", "┆ brown fox", "┆ jumps"]);
});

test("breaks a long word anywhere, and counts wide characters twice", () => {
  expect(rows("abcdefghij", quote, 6)).toEqual(["│ abcd", "┆ efgh", "┆ ij"]);
  expect(rows("世界世界", quote, 6)).toEqual(["│ 世界", "┆ 世界"]);
});

test("keeps an accent with its letter", () => {
  expect(rows("aaae\u0301b", quote, 6)).toEqual(["│ aaae\u0301", "┆ b"]);
});

test("keeps indentation without a row of its own", () => {
  expect(rows("    abcdefghij", quote, 12)).toEqual(["│     abcdef", "┆ ghij"]);
});

test("keeps each row within the width and loses no visible character", () => {
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

// A terminal that draws more columns than were counted breaks the row, and the rest starts where our own lines do.
test("counts no fewer columns than a terminal draws, marks that stand beside their letter included", async () => {
  const terminal = new xterm.Terminal({ cols: 100, rows: 4, allowProposedApi: true });
  const drawn = async (text: string): Promise<number> => {
    await new Promise<void>((done) => terminal.write(`\r\x1b[2K${text}`, done));
    return terminal.buffer.active.cursorX;
  };
  const marks = Array.from({ length: 0x1f000 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => /\p{M}/u.test(character) && visibleText(character) === character,
  );
  expect(marks.length).toBeGreaterThan(2_000);
  const short: string[] = [];
  for (let at = 0; at < marks.length; at += 16) {
    const text = marks.slice(at, at + 16).join("a");
    if ((await drawn(`a${text}`)) > columns(`a${text}`)) short.push(text);
  }
  expect(short).toEqual([]);
  const vowels = "\u0915\u093E".repeat(40);
  expect(columns(vowels)).toBe(80);
  expect(await drawn(rows(vowels, { first: "│ ", next: "┆ " }, 80)[0] ?? "")).toBeLessThanOrEqual(80);
  expect([columns("e\u0301"), columns("\u05D0\u05B8"), columns("\u0E01\u0E35\u0E48")]).toEqual([1, 1, 1]);
});
