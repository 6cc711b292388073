import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchWildcards } from "./match-wildcards.js";

/** How often two items were compared, and what came out. */
function counted(pattern: string, text: string): { readonly matches: boolean; readonly steps: number } {
  let steps = 0;
  const same = (wanted: string, item: string) => {
    steps += 1;
    return wanted === "?" || wanted === item;
  };
  return { matches: matchWildcards(Array.from(pattern), Array.from(text), { any: "*", same }), steps };
}

const longestRun = (pattern: string) => Math.max(...pattern.split("*").map((run) => run.length));

test.each<[string, string, boolean]>([
  ["", "", true],
  ["", "a", false],
  ["*", "", true],
  ["*", "abc", true],
  ["a*", "a", true],
  ["*a", "ba", true],
  ["*a", "ab", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["**", "", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*ab", "aab", true],
  ["*aab*", "aaab", true],
])("%j against %j: %s", (pattern, text, expected) => {
  expect(counted(pattern, text).matches).toBe(expected);
});

// The platform's regular expressions are the judge; these patterns are too short to hurt them.
test("it says what the same regular expression says", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  fc.assert(
    fc.property(pattern, text, (wild, plain) => {
      const judge = new RegExp(`^${wild.replaceAll("*", ".*").replaceAll("?", ".")}$`);
      expect(counted(wild, plain).matches).toBe(judge.test(plain));
    }),
    { numRuns: 2000 },
  );
});

test("an item is looked at no more often than the longest run between two stars is long", () => {
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 60 });
  const text = fc.string({ unit: fc.constantFrom("a", "a", "a", "b"), maxLength: 200 });
  fc.assert(
    fc.property(pattern, text, (wild, plain) => {
      expect(counted(wild, plain).steps).toBeLessThanOrEqual((plain.length + 1) * (longestRun(wild) + 1));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["ten thousand stars", "*".repeat(10_000)],
  ["ten thousand stars and an end that never comes", `${"*".repeat(10_000)}b`],
  ["stars between letters", `${"a*".repeat(10_000)}b`],
  ["stars between question marks", `${"?*".repeat(10_000)}b`],
])("%s take a few steps for each of 100,000 characters", (_name, pattern) => {
  expect(counted(pattern, "a".repeat(100_000)).steps).toBeLessThanOrEqual(200_000);
});
