import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rememberResults } from "./remember-results.js";

test("returns what the function returns, whichever texts come again", () => {
  const read = (text: string) => (text.length % 2 === 0 ? undefined : text.toUpperCase());
  const remembered = rememberResults(read);
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 })), (texts) => {
      for (const text of [...texts, ...texts]) expect(remembered(text)).toBe(read(text));
    }),
  );
});

test("reads a text once, also when the result is undefined", () => {
  const reads: string[] = [];
  const remembered = rememberResults((text) => void reads.push(text));
  remembered("a");
  remembered("a");
  expect(reads).toEqual(["a"]);
});

test("keeps no more than its bound, and no long text", () => {
  let reads = 0;
  const remembered = rememberResults(() => (reads += 1));
  const first = remembered("first");
  for (let number = 0; number < 2_000; number += 1) remembered(`${number}`);
  expect(remembered("first")).not.toBe(first);
  const long = "x".repeat(1_000);
  expect(remembered(long)).not.toBe(remembered(long));
});
