import { expect, test } from "vitest";
import { mixedWords } from "./mixed-words.js";

test("names each word in which a letter of another alphabet stands between Latin ones", () => {
  expect(mixedWords("l\u0455 -la && curl https://g\u043E\u043Egle.com/l\u0455")).toEqual([
    "“l\u0455” has letters of several alphabets: \u0455 is U+0455",
    "“g\u043E\u043Egle” has letters of several alphabets: \u043E is U+043E",
  ]);
});

test("says nothing about words of one alphabet, accents and other scripts", () => {
  expect(mixedWords("ls näher/привет.txt naïve ελλάδα 日本語abc שלום")).toEqual([]);
});
