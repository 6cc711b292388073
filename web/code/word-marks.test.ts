import * as fc from "fast-check";
import { expect, test } from "vitest";
import { wordMarks, type MarkedPiece } from "./word-marks.js";

const joined = (pieces: readonly MarkedPiece[]): string => pieces.map(({ text }) => text).join("");
const marked = (pieces: readonly MarkedPiece[]): readonly string[] =>
  pieces.filter(({ isMarked }) => isMarked).map(({ text }) => text);

test("marks the words that differ and nothing else", () => {
  const { before, after } = wordMarks(
    "return money(Math.round(net));",
    "return money(Math.floor(net + 0.5));",
  );
  expect(marked(before)).toEqual(["round"]);
  expect(marked(after)).toEqual(["floor", " + 0.5"]);
});

test("marks nothing in lines that share next to nothing", () => {
  const { before, after } = wordMarks("import alpha from beta", "export const gamma = delta");
  expect([...marked(before), ...marked(after)]).toEqual([]);
});

test("keeps every character of both texts", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
      const { before, after } = wordMarks(one, other);
      expect([joined(before), joined(after)]).toEqual([one, other]);
    }),
  );
});

test("gives up on texts whose comparison would take long", () => {
  const long = "word ".repeat(2_000);
  expect(wordMarks(long, `${long}more`).after).toEqual([{ text: `${long}more`, isMarked: false }]);
});
