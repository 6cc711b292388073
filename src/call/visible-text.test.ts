import * as fc from "fast-check";
import { expect, test } from "vitest";
import { firstLine, oneLine, visibleText } from "./visible-text.js";

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
const codePoints = (text: string) => Array.from(text).length;
const LONE_SURROGATE = /\p{Surrogate}/u;

test("ordinary text stays as it is", () => {
  for (const text of [
    "",
    "npm test",
    "Grüße, 世界! שלום",
    "a  b",
    "naïve e\u0301",
    "🦊 x²",
    "⟨U+202E⟩ \\n",
  ]) {
    expect(visibleText(text)).toBe(text);
  }
});

test("makes line ends and tabs visible", () => {
  expect(visibleText("ls\nrm\r\n\tx")).toBe("ls\\nrm\\r\\n\\tx");
});

test("keeps only line feeds and tabs when newlines are allowed", () => {
  expect(visibleText("a\n\tb\r\u202E", { keepNewlines: true })).toBe("a\n\tb\\r⟨U+202E⟩");
});

// Ranges written out by hand, ends included.
test.each([
  ["C0 controls", 0x00, 0x08],
  ["more C0 controls", 0x0e, 0x1f],
  ["DEL and C1 controls", 0x7f, 0x9f],
  ["the no-break space", 0xa0, 0xa0],
  ["the soft hyphen", 0xad, 0xad],
  ["the grapheme joiner", 0x34f, 0x34f],
  ["the Arabic letter mark", 0x61c, 0x61c],
  ["Hangul fillers", 0x115f, 0x1160],
  ["the Ogham space", 0x1680, 0x1680],
  ["Khmer inherent vowels", 0x17b4, 0x17b5],
  ["Mongolian selectors", 0x180b, 0x180f],
  ["spaces of all widths, zero included, and marks", 0x2000, 0x200f],
  ["separators and bidirectional embeddings", 0x2028, 0x202f],
  ["joiners, isolates and invisible operators", 0x205f, 0x206f],
  ["the Braille blank", 0x2800, 0x2800],
  ["the ideographic space", 0x3000, 0x3000],
  ["the Hangul filler", 0x3164, 0x3164],
  ["lone surrogates", 0xd800, 0xdfff],
  ["variation selectors", 0xfe00, 0xfe0f],
  ["the byte order mark", 0xfeff, 0xfeff],
  ["the halfwidth filler", 0xffa0, 0xffa0],
  ["annotation and object marks", 0xfff9, 0xfffc],
  ["noncharacters", 0xfffe, 0xffff],
  ["tags", 0xe0000, 0xe007f],
  ["more variation selectors", 0xe0100, 0xe01ef],
])("%s are spelled out", (_, from, to) => {
  for (let code = from; code <= to; code++) {
    const hex = code.toString(16).toUpperCase().padStart(4, "0");
    expect(visibleText(`a${String.fromCodePoint(code)}b`)).toBe(`a⟨U+${hex}⟩b`);
  }
});

test("keeps an emoji that Unicode lists whole", () => {
  for (const emoji of ["👩\u200D💻", "⚠\uFE0F", "👨\u200D👩\u200D👧", "👍🏽", "1\uFE0F\u20E3", "🇩🇪"]) {
    expect(visibleText(`a${emoji}b`)).toBe(`a${emoji}b`);
    expect(oneLine(`a ${emoji} b`, 40)).toBe(`a ${emoji} b`);
  }
});

test("takes the first line with words as the title and spells out its invisible characters", () => {
  expect(firstLine("\n  \r\n  Fix the test.\nThen write the note.", 40)).toBe("Fix the test.");
  expect(firstLine("a\u202Eb\r\nc", 40)).toBe("a⟨U+202E⟩b");
  expect(firstLine("one two three four", 9)).toBe("one …four");
  expect(firstLine(" \n ", 40)).toBe("");
});

test("joiners and selectors outside of an emoji are written out", () => {
  expect(visibleText("a\u200Db")).toBe("a⟨U+200D⟩b");
  expect(visibleText("rm\uFE0F")).toBe("rm⟨U+FE0F⟩");
  expect(visibleText("👩\u200D")).toBe("👩⟨U+200D⟩");
  expect(visibleText("💻\u200D💻")).toBe("💻⟨U+200D⟩💻");
  expect(visibleText("⚠\uFE0F\uFE0F\u202E")).toBe("⚠\uFE0F⟨U+FE0F⟩⟨U+202E⟩");
  expect(oneLine("💻\u200D💻", 40)).toBe("💻⟨U+200D⟩💻");
});

test("making text visible twice changes nothing more, and no line break is left", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const visible = visibleText(text);
      expect(visibleText(visible)).toBe(visible);
      expect(visible).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u);
    }),
  );
});

test("keeps both ends of a text that is too long for one line", () => {
  expect(oneLine("src/app.ts", 10)).toBe("src/app.ts");
  expect(oneLine("src/some/long/path/app.ts", 13)).toBe("src/so…app.ts");
  expect(oneLine("abc", 2)).toBe("a…");
  expect(oneLine("abc", 1)).toBe("…");
  expect(oneLine("abc", 0)).toBe("");
});

test("collapses spaces in one line and shows line breaks, which matter to a shell", () => {
  expect(oneLine("  a \t  b  ", 50)).toBe("a b");
  expect(oneLine("ls \n\n   rm -rf x\n", 50)).toBe("ls\\nrm -rf x");
  expect(oneLine("\u00A0a\uFEFF", 50)).toBe("⟨U+00A0⟩a⟨U+FEFF⟩");
});

test("shortening cuts neither a surrogate pair nor a spelled-out character", () => {
  expect(oneLine("🦊".repeat(9), 5)).toBe("🦊🦊…🦊🦊");
  expect(oneLine("\u202E".repeat(9), 12)).toBe("…");
  expect(oneLine("\u202E".repeat(9), 17)).toBe("⟨U+202E⟩…⟨U+202E⟩");
  expect(oneLine(`x${"🦊".repeat(10_000)}y`, 5)).toBe("x🦊…🦊y");
});

test("makes one visible line within the limit from any text", () => {
  const longText = fc.array(anyText, { maxLength: 40 }).map((parts) => parts.join(" \n"));
  fc.assert(
    fc.property(longText, fc.integer({ min: 0, max: 60 }), (text, maxLength) => {
      const line = oneLine(text, maxLength);
      expect(codePoints(line)).toBeLessThanOrEqual(maxLength);
      expect(visibleText(line)).toBe(line);
      expect(line).not.toMatch(LONE_SURROGATE);
      expect(oneLine(line, maxLength)).toBe(line.trim().replace(/ +/g, " "));
    }),
  );
});

test("reads only the ends of a huge text", () => {
  const huge = `start ${" \n".repeat(10_000_000)} end`;
  const before = process.cpuUsage();
  for (let round = 0; round < 100; round++) expect(oneLine(huge, 40)).toBe("start…end");
  // Reading 20 MB a hundred times would take many seconds.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});
