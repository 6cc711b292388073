import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nameProblem, toolName } from "./tool-name.js";

test("names a plain tool after its server and itself", () => {
  expect(toolName("github", "create_issue")).toBe("github__create_issue");
  expect(toolName("a", "b__c")).toBe("a__b__c");
  expect(toolName("a", "_b")).toBe("a___b");
});

test("adds a hash to names that are ambiguous, too long or of strange letters", () => {
  expect(toolName("a__b", "c")).toMatch(/^a__b__c_[0-9a-f]{10}$/);
  expect(toolName("a_", "b")).toMatch(/^a___b_[0-9a-f]{10}$/);
  expect(toolName("my server", "read/file")).toMatch(/^my_server__read_file_[0-9a-f]{10}$/);
  expect(toolName("s", "t".repeat(128))).toMatch(/^s__t{50}_[0-9a-f]{10}$/);
  // The same in every session: history and models remember it.
  expect(toolName("a__b", "c")).toBe("a__b__c_528239e9b3");
});

test("never gives a tool the hashed name of another", () => {
  const hashed = toolName("a__b", "c");
  expect(toolName("a", hashed.slice("a__".length))).not.toBe(hashed);
});

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "_", "-", "__"), minLength: 1, maxLength: 6 }),
  fc.string({ minLength: 1, maxLength: 140 }),
);

test("gives each tool a unique name that every model API accepts", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name), { maxLength: 60 }), (pairs) => {
      const different = new Map(pairs.map((pair) => [JSON.stringify(pair), toolName(...pair)]));
      expect(new Set(different.values()).size).toBe(different.size);
      for (const one of different.values()) expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
  );
});

test.each([
  ["", "is empty"],
  ["x".repeat(129), "has more than 128 characters"],
  ["x\u001b[2J", "has invisible characters"],
  ["abc\u202E", "has invisible characters"],
  ["a\u200Bb", "has invisible characters"],
  ["line\nline", "has invisible characters"],
  ["a\u00A0b", "has invisible characters"],
  ["x".repeat(128), undefined],
  ["поиск файлов/2", undefined],
])("the name %j: %s", (given, problem) => {
  expect(nameProblem(given)).toBe(problem);
});
