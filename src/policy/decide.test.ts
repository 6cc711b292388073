import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Rule } from "./decide.js";
import { intentText } from "./intent.js";
import type { Intent } from "./intent.js";

const intent: Intent = {
  tool: "edit_file",
  kind: "edit",
  input: { path: "a" },
  cwd: "/w",
  paths: [],
  hosts: [],
  baseHashes: {},
};

test("what no rule speaks of is asked", () => {
  expect(decide(intent, [])).toEqual({ effect: "ask" });
  expect(decide(intent, [{ allow: "read" }, { deny: "terminal" }])).toEqual({ effect: "ask" });
});

test("a rule speaks of a kind, of a tool, or of everything, and is named in the verdict", () => {
  expect(decide(intent, [{ allow: "edit" }])).toEqual({ effect: "allow", rule: "allow edit" });
  expect(decide(intent, [{ allow: "edit_file" }])).toEqual({ effect: "allow", rule: "allow edit_file" });
  expect(decide(intent, [{ deny: "*", reason: "read only" }])).toEqual({
    effect: "deny",
    rule: "deny *",
    reason: "read only",
  });
});

test("a pattern is not a prefix", () => {
  expect(decide(intent, [{ allow: "edit_" }, { allow: "ed" }, { allow: "" }])).toEqual({ effect: "ask" });
});

test("deny beats ask beats allow, in whatever order the rules stand", () => {
  const rules: Rule[] = [{ allow: "*" }, { ask: "edit" }, { deny: "edit_file" }];
  fc.assert(
    fc.property(fc.shuffledSubarray(rules, { minLength: 1 }), (some) => {
      const effects = new Set(some.map((rule) => Object.keys(rule)[0]));
      const expected = ["deny", "ask", "allow"].find((effect) => effects.has(effect));
      expect(decide(intent, some).effect).toBe(expected);
    }),
  );
});

test("equal intents have the same text, however their keys are ordered", () => {
  const other: Intent = {
    baseHashes: {},
    hosts: [],
    paths: [],
    cwd: "/w",
    input: { path: "a" },
    kind: "edit",
    tool: "edit_file",
  };
  expect(intentText(other)).toBe(intentText(intent));
  expect(intentText({ ...intent, input: { path: "b" } })).not.toBe(intentText(intent));
});
