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

const fold = (chunks: readonly string[], start: BoundedText = EMPTY_TEXT) => chunks.reduce(appendText, start);

test("the limits are those that were promised", () => {
  expect([HEAD_LIMIT, TAIL_LIMIT]).toEqual([HEAD, TAIL]);
});

test("short output is shown whole", () => {
  expect(shownText(EMPTY_TEXT)).toBe("");
  expect(shownText(fold(["Hello", " ", "world", ""]))).toBe("Hello world");
  expect(leftOut(fold(["Hello"]))).toBe(0);
});

test("output of exactly both limits is shown whole, one character more is not", () => {
  const whole = "a".repeat(HEAD) + "b".repeat(TAIL);
  expect(shownText(boundText(whole))).toBe(whole);
  const longer = boundText(`${whole}c`);
  expect(leftOut(longer)).toBe(1);
  expect(shownText(longer)).toBe(`${"a".repeat(HEAD)}\n… 1 characters left out …\n${"b".repeat(TAIL - 1)}c`);
});

test("long output shows its beginning, its end and how much is missing between them", () => {
  const text = boundText(`first\n${"x".repeat(1_234_567)}\nlast`);
  const shown = shownText(text);
  expect(shown.startsWith("first\nxxx")).toBe(true);
  expect(shown.endsWith("xxx\nlast")).toBe(true);
  expect(shown).toContain("x\n… 1,169,042 characters left out …\nx");
  expect(leftOut(text)).toBe(1_234_578 - HEAD - TAIL);
});

test("a cut never leaves half an emoji", () => {
  const whole = `x${"😀".repeat(50_000)}x`;
  for (const text of [boundText(whole), fold(whole.split(""))]) {
    expect(shownText(text)).not.toMatch(LONE_SURROGATE);
    // One unit fewer on each side than the limits allow.
    expect(leftOut(text)).toBe(whole.length - (HEAD - 1) - (TAIL - 1));
  }
});

test("an emoji that arrives in two chunks is whole again", () => {
  expect(shownText(fold(["\uD83D", "\uDE00"]))).toBe("😀");
  const atTheSeam = `${"a".repeat(HEAD - 1)}😀`;
  expect(shownText(boundText(atTheSeam))).toBe(atTheSeam);
});

test("a text is never changed by appending to it", () => {
  const first = Object.freeze(boundText("one"));
  expect(shownText(appendText(first, " two"))).toBe("one two");
  expect(shownText(appendText(first, " three"))).toBe("one three");
  expect(appendText(first, "")).toBe(first);
});

test("a reader who has seen some of it gets only what is new", () => {
  const text = fold(["Hello", " world"]);
  expect(textSince(text, 0)).toBe("Hello world");
  expect(textSince(text, 5)).toBe(" world");
  expect(textSince(text, 11)).toBe("");
});

test("a reader who has fallen behind what is held is told so", () => {
  const text = boundText("x".repeat(HEAD + 3 * TAIL));
  expect(textSince(text, text.total - TAIL)).toBe("x".repeat(TAIL));
  expect(textSince(text, text.total - TAIL - 1)).toBeUndefined();
  expect(textSince(text, 0)).toBeUndefined();
});

test("a reader who has seen more than ever arrived has to start again", () => {
  expect(textSince(boundText("abc"), 4)).toBeUndefined();
  expect(textSince(boundText("abc"), -1)).toBeUndefined();
});

test("a million small chunks stay small, and the tail is cut back only once per tail that arrived", () => {
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

function expectedText(text: string): string {
  if (text.length <= HEAD + TAIL) return text;
  const head = text.slice(0, HEAD).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-TAIL).replace(/^[\uDC00-\uDFFF]/, "");
  const missing = (text.length - head.length - tail.length).toLocaleString("en-US");
  return `${head}\n… ${missing} characters left out …\n${tail}`;
}

test("how the output was cut into chunks never shows", () => {
  fc.assert(
    fc.property(whole, cuts, (text, places) => {
      const folded = fold(cutAt(text, places));
      expect(shownText(folded) === expectedText(text)).toBe(true);
      expect(folded.total).toBe(text.length);
      expect(folded.head.length + folded.tail.length).toBeLessThanOrEqual(HEAD + 2 * TAIL);
    }),
  );
});

test("what is new is either exact or not given, and always given for the last tail", () => {
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
