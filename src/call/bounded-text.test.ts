import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  appendText,
  type BoundedText,
  boundText,
  EMPTY_TEXT,
  HEAD_LIMIT,
  leftOut,
  shownText,
  TAIL_LIMIT,
  textSince,
} from "./bounded-text.js";

// The contract, written out: the first 16,384 and the last 49,152 units, and nothing is lost below their sum.
const HEAD = 16_384;
const TAIL = 49_152;
const LONE_SURROGATE = /\p{Surrogate}/u;

const fold = (chunks: readonly string[], start: BoundedText = EMPTY_TEXT) =>
  chunks.reduce((text, chunk) => appendText(text, chunk), start);

test("has the promised limits", () => {
  expect([HEAD_LIMIT, TAIL_LIMIT]).toEqual([HEAD, TAIL]);
});

test("shows short output whole", () => {
  expect(shownText(EMPTY_TEXT)).toBe("");
  expect(shownText(fold(["Hello", " ", "world", ""]))).toBe("Hello world");
  expect(leftOut(fold(["Hello"]))).toBe(0);
});

test("shows output of exactly both limits whole, and not one character more", () => {
  const whole = "a".repeat(HEAD) + "b".repeat(TAIL);
  expect(shownText(boundText(whole))).toBe(whole);
  const longer = boundText(`${whole}c`);
  expect(leftOut(longer)).toBe(1);
  expect(shownText(longer)).toBe(`${"a".repeat(HEAD)}\n… 1 character left out …\n${"b".repeat(TAIL - 1)}c`);
});

test("shows the beginning and the end of long output, and how much is missing", () => {
  const text = boundText(`first\n${"x".repeat(1_234_567)}\nlast`);
  const shown = shownText(text);
  expect(shown.startsWith("first\nxxx")).toBe(true);
  expect(shown.endsWith("xxx\nlast")).toBe(true);
  expect(shown).toContain("x\n… 1,169,042 characters left out …\nx");
  expect(leftOut(text)).toBe(1_234_578 - HEAD - TAIL);
});

test("leaves no half emoji at a cut", () => {
  const whole = `x${"😀".repeat(50_000)}x`;
  for (const text of [boundText(whole), fold(whole.split(""))]) {
    expect(shownText(text)).not.toMatch(LONE_SURROGATE);
    // One unit fewer on each side than the limits allow.
    expect(leftOut(text)).toBe(whole.length - (HEAD - 1) - (TAIL - 1));
  }
});

test("joins an emoji that arrives in two chunks", () => {
  expect(shownText(fold(["\uD83D", "\uDE00"]))).toBe("😀");
  const atTheSeam = `${"a".repeat(HEAD - 1)}😀`;
  expect(shownText(boundText(atTheSeam))).toBe(atTheSeam);
});

test("leaves a text unchanged when something is appended to it", () => {
  const first = Object.freeze(boundText("one"));
  expect(shownText(appendText(first, " two"))).toBe("one two");
  expect(shownText(appendText(first, " three"))).toBe("one three");
  expect(appendText(first, "")).toBe(first);
});

test("gives a reader only the new part", () => {
  const text = fold(["Hello", " world"]);
  expect(textSince(text, 0)).toBe("Hello world");
  expect(textSince(text, 5)).toBe(" world");
  expect(textSince(text, 11)).toBe("");
});

test("returns undefined to a reader that is behind the stored text", () => {
  const text = boundText("x".repeat(HEAD + 3 * TAIL));
  expect(textSince(text, text.total - TAIL)).toBe("x".repeat(TAIL));
  expect(textSince(text, text.total - TAIL - 1)).toBeUndefined();
  expect(textSince(text, 0)).toBeUndefined();
});

test("restarts a reader that claims to have seen more than ever arrived", () => {
  expect(textSince(boundText("abc"), 4)).toBeUndefined();
  expect(textSince(boundText("abc"), -1)).toBeUndefined();
});

test("cuts the text where something was skipped, and ends with the rest", () => {
  const text = appendText(boundText("begin\n"), "end\n", 1000);
  expect(text).toEqual({ head: "begin\n", tail: "end\n", total: 1010 });
  expect(shownText(text)).toBe("begin\n\n… 1,000 characters left out …\nend\n");
  expect(leftOut(text)).toBe(1000);
  // Later text follows the end and does not fill the head.
  expect(shownText(appendText(text, "more\n"))).toBe("begin\n\n… 1,000 characters left out …\nend\nmore\n");
});

test("drops text between the head and a gap when it is no longer the end", () => {
  const text = appendText(boundText(`${"a".repeat(HEAD)}middle`), "end", 10);
  expect(shownText(text)).toBe(`${"a".repeat(HEAD)}\n… 16 characters left out …\nend`);
});

test("has only an end when the beginning was skipped", () => {
  expect(shownText(appendText(EMPTY_TEXT, "end", 5))).toBe("\n… 5 characters left out …\nend");
});

test("counts a gap at the very end", () => {
  expect(shownText(appendText(boundText("begin"), "", 5))).toBe("begin\n… 5 characters left out …\n");
});

test("leaves no half emoji at a gap", () => {
  const text = appendText(boundText("a\uD83D"), "\uDE00b", 5);
  expect(shownText(text)).toBe("a\n… 7 characters left out …\nb");
});

test("restarts a reader before a gap, and not one behind it", () => {
  const text = appendText(boundText("begin"), "end", 10);
  expect(textSince(text, 18)).toBe("");
  expect(textSince(text, 16)).toBe("nd");
  expect(textSince(text, 15)).toBe("end");
  expect(textSince(text, 14)).toBeUndefined();
  expect(textSince(text, 5)).toBeUndefined();
});

test("ignores an impossible number of skipped units", () => {
  for (const skipped of [0, -5, Number.NaN]) {
    expect(appendText(boundText("one"), " two", skipped)).toEqual(boundText("one two"));
  }
});

test("keeps a million small chunks small, and cuts the tail once per tail that arrives", () => {
  let text = EMPTY_TEXT;
  let largest = 0;
  let copied = 0;
  for (let index = 0; index < 1_000_000; index++) {
    const next = appendText(text, "0123456789");
    // A tail that shrank was copied; one that grew was only joined to.
    if (next.tail.length < text.tail.length) copied += text.tail.length + 10;
    largest = Math.max(largest, next.head.length + next.tail.length);
    text = next;
  }
  expect(text.total).toBe(10_000_000);
  expect(largest).toBeLessThanOrEqual(HEAD + 2 * TAIL);
  expect(copied).toBeLessThanOrEqual(3 * text.total);
  expect(shownText(text).endsWith("0123456789")).toBe(true);
});

// Lengths around every edge, with pairs and lone halves that fall on it.
const whole = fc
  .record({
    pattern: fc.constantFrom("a", "😀", "ab😀", "a\uDE00", "\uD83Da", "x\n"),
    shift: fc.nat(3),
    length: fc.constantFrom(10, HEAD, HEAD + TAIL, HEAD + 2 * TAIL, HEAD + 3 * TAIL, 5 * TAIL),
    more: fc.integer({ min: -3, max: 3 }),
  })
  .map(({ pattern, shift, length, more }) => pattern.repeat(length).slice(shift, shift + length + more));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

function cutAt(text: string, places: readonly number[]): string[] {
  const ends = places.map((place) => place % (text.length + 1)).sort((left, right) => left - right);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

const note = (missing: number): string =>
  `\n… ${missing.toLocaleString("en-US")} character${missing === 1 ? "" : "s"} left out …\n`;

function expectedText(text: string): string {
  if (text.length <= HEAD + TAIL) return text;
  const head = text.slice(0, HEAD).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-TAIL).replace(/^[\uDC00-\uDFFF]/, "");
  return `${head}${note(text.length - head.length - tail.length)}${tail}`;
}

test("shows the same however the output was cut into chunks", () => {
  fc.assert(
    fc.property(whole, cuts, (text, places) => {
      const folded = fold(cutAt(text, places));
      expect(shownText(folded) === expectedText(text)).toBe(true);
      expect(folded.total).toBe(text.length);
      expect(folded.head.length + folded.tail.length).toBeLessThanOrEqual(HEAD + 2 * TAIL);
    }),
  );
});

test("gives new text exactly or not at all, and always for the last tail", () => {
  fc.assert(
    fc.property(whole, cuts, fc.nat(), (text, places, place) => {
      const seen = place % (text.length + 1);
      const folded = fold(cutAt(text, places));
      const since = textSince(folded, seen);
      const isHeld = text.length <= HEAD + TAIL || text.length - seen <= TAIL;
      expect(since === text.slice(seen) || (since === undefined && !isHeld)).toBe(true);
    }),
  );
});

const pieces = fc.array(
  fc.record({
    text: whole.map((text) => text.slice(0, 3 * TAIL)),
    skipped: fc.constantFrom(0, 0, 0, 1, 2, 1000, TAIL),
    places: cuts,
  }),
  { maxLength: 6 },
);

/** The same, written out: the head ends at the first gap at the latest, and the tail begins after the last. */
function expectedAfterGaps(given: readonly { readonly text: string; readonly skipped: number }[]): string {
  const lastGap = given.findLastIndex(({ skipped }) => skipped > 0);
  const firstGap = given.findIndex(({ skipped }) => skipped > 0);
  const textOf = (some: typeof given) => some.map(({ text }) => text).join("");
  if (lastGap < 0) return expectedText(textOf(given));
  const total = given.reduce((sum, { text, skipped }) => sum + text.length + skipped, 0);
  const head = textOf(given.slice(0, firstGap))
    .slice(0, HEAD)
    .replace(/[\uD800-\uDBFF]$/, "");
  const tail = textOf(given.slice(lastGap))
    .slice(-TAIL)
    .replace(/^[\uDC00-\uDFFF]/, "");
  return `${head}${note(total - head.length - tail.length)}${tail}`;
}

test("shows the same however output with gaps was cut into chunks", () => {
  fc.assert(
    fc.property(pieces, (given) => {
      let text = EMPTY_TEXT;
      for (const { text: piece, skipped, places } of given) {
        const [first = "", ...others] = cutAt(piece, places);
        text = fold(others, appendText(text, first, skipped));
        expect(text.head.length).toBeLessThanOrEqual(HEAD);
        expect(text.tail.length).toBeLessThanOrEqual(2 * TAIL);
      }
      expect(shownText(text) === expectedAfterGaps(given)).toBe(true);
      expect(shownText(text).length - leftOutLine(text)).toBe(text.total - leftOut(text));
    }),
  );
});

const leftOutLine = (text: BoundedText) => (leftOut(text) === 0 ? 0 : note(leftOut(text)).length);

test("gives the new part of output with gaps exactly or not at all", () => {
  fc.assert(
    fc.property(pieces, fc.nat(), (given, place) => {
      const folded = given.reduce(
        (text, { text: piece, skipped }) => appendText(text, piece, skipped),
        EMPTY_TEXT,
      );
      // A gap is written as NULs, which no piece has: if one is in what is given, it is not exact.
      const all = given.map(({ text, skipped }) => "\0".repeat(skipped) + text).join("");
      const seen = place % (all.length + 1);
      const since = textSince(folded, seen);
      expect(since === undefined || since === all.slice(seen)).toBe(true);
      expect(folded.total).toBe(all.length);
    }),
  );
});
