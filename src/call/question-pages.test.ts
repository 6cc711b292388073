import * as fc from "fast-check";
import { expect, test } from "vitest";
import { question } from "./events.samples.js";
import { cutNote, hiddenCharacters, questionPage } from "./question.js";

test("joins the pages of any text to the text, and splits no character", () => {
  const long = fc
    .string({ unit: "grapheme", maxLength: 20 })
    .chain((unit) => fc.integer({ min: 0, max: 12_000 }).map((times) => unit.repeat(times)));
  fc.assert(
    fc.property(long, (text) => {
      const asked = { ...question, about: ["short"], wholeAbout: [text] };
      const { pages } = questionPage(asked, 1) ?? { pages: 0 };
      const texts = Array.from({ length: pages }, (_, at) => questionPage(asked, at + 1)?.text ?? "");
      expect(texts.join("")).toBe(text);
      expect(texts.every((page) => page.length <= 50_000 && !/\p{Surrogate}/u.test(page))).toBe(true);
      expect(questionPage(asked, pages + 1)).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

test("counts what a question leaves out", () => {
  expect(hiddenCharacters({ ...question, about: ["runs: a"] })).toBe(0);
  expect(hiddenCharacters({ ...question, about: ["runs: a"], wholeAbout: ["runs: abcd"] })).toBe(3);
  const whole = ["runs: abcdefgh", "read: a", "read: b", "input: {}"];
  const cut = [`runs: ${cutNote(5)}abc`, "read: a", "… 1 more …", "input: {}"];
  expect(hiddenCharacters({ ...question, about: cut, wholeAbout: whole })).toBe(5 + "read: b\n".length);
  const long = [`runs: ${"x".repeat(2_000)}`];
  expect(hiddenCharacters({ ...question, about: [`runs: ${cutNote(1_999)}x`], wholeAbout: long })).toBe(
    1_999,
  );
  expect(questionPage({ ...question, about: ["a", "b"] }, 1)).toEqual({ page: 1, pages: 1, text: "a\nb" });
});
