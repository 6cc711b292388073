import { expect, test } from "vitest";
import { withBreakPoints, wordPieces } from "./with-break-points.js";

test("leaves a long text of ordinary words whole", () => {
  const text = "word ".repeat(10_000);
  expect(wordPieces(text)).toEqual([text]);
});

test("breaks a word of 100,000 characters and keeps each of them", () => {
  for (const letter of ["a", "\u05D0", "\u0301", "🦊"]) {
    const text = `see x${letter.repeat(100_000)}, and more`;
    const pieces = wordPieces(text);
    expect(pieces.join("")).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_100);
    expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
  }
});

test("breaks a long word anywhere, and the words beside it between them", () => {
  const word = "x".repeat(1_500);
  expect(withBreakPoints(`see ${word} and more`)).toEqual([
    "see ",
    expect.objectContaining({ props: expect.objectContaining({ class: "long-word" }) }),
    " and more",
  ]);
});
