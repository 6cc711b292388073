import * as fc from "fast-check";
import { expect, test } from "vitest";
import { commandWords } from "./command-words.js";

test.each([
  ["gemini --acp", ["gemini", "--acp"]],
  ["  node   'my agent.mjs' \"--name=a b\" ", ["node", "my agent.mjs", "--name=a b"]],
  [`a '' ""`, ["a", "", ""]],
  ["a\\ b c\\\\d", ["a b", "c\\d"]],
  [`"a \\"b\\" \\n" '\\n'`, ['a "b" \\n', "\\n"]],
  ["a'b'\"c\"d", ["abcd"]],
  [
    "a $HOME `id` ; rm -rf | b > c & *",
    ["a", "$HOME", "`id`", ";", "rm", "-rf", "|", "b", ">", "c", "&", "*"],
  ],
])("splits %s into words without expanding anything", (text, words) => {
  expect(commandWords(text)).toEqual(words);
});

test.each(["", "   ", "''", "a 'b", 'a "b', 'a "b\\"'])("finds no command in %j", (text) => {
  expect(() => commandWords(text)).toThrow("Nothing was started.");
});

test("words that are quoted come back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      fc.pre(words[0] !== "");
      const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      expect(commandWords(quoted)).toEqual(words);
    }),
  );
});
