import { expect, test } from "vitest";
import { question, yes } from "./events.samples.js";
import { type Answer, answerAllows, isYes, notOffered } from "./question.js";

const selects = (optionId: string): Answer => ({ ...yes, outcome: { type: "selected", optionId } });
const refused: Answer = { ...yes, outcome: { type: "refused" } };
const changed: Answer = { ...yes, intentHash: "hash-2" };

test.each([
  ["once", true],
  ["always", true],
  ["no", false],
  ["never", false],
  // Names and kinds are no ids, and what was not offered is no yes.
  ["Allow once", false],
  ["allow_once", false],
  ["", false],
  ["constructor", false],
])("picking %j is a yes: %s", (optionId, expected) => {
  expect(isYes(question, selects(optionId))).toBe(expected);
  expect(answerAllows(question, selects(optionId))).toBe(expected);
});

test("does not count a failed asker's answer as a yes", () => {
  expect(isYes(question, refused)).toBe(false);
  expect(answerAllows(question, refused)).toBe(false);
});

test("does not count an option of an unknown kind as a yes", () => {
  const options = [{ optionId: "once", name: "Allow", kind: "allow_forever" as "allow_once" }];
  expect(isYes({ ...question, options }, yes)).toBe(false);
});

test("takes nothing for a yes when no option was offered", () => {
  expect(isYes({ ...question, options: [] }, yes)).toBe(false);
});

test("counts a yes only for the intent that was asked about", () => {
  expect(isYes(question, changed)).toBe(true);
  expect(answerAllows(question, changed)).toBe(false);
  expect(answerAllows({ ...question, intentHash: "hash-2" }, changed)).toBe(true);
});

test.each([
  ["always", [{ allow: "execute" }], true],
  ["always", [], false],
  ["always", [{ deny: "execute" }], false],
  ["always", [{ allow: "read" }, { ask: "execute" }], false],
  ["once", [{ allow: "execute" }], false],
  ["never", [{ allow: "execute" }], false],
])("takes rules of a person's own with %s %j: %s", (optionId, rules, expected) => {
  const grant = { sentence: "", rules: [], scope: "project" } as const;
  const options = question.options.map((option) =>
    option.kind.endsWith("always") ? { ...option, grant } : option,
  );
  const reason = notOffered({ ...question, options }, { type: "selected", optionId, rules });
  expect(reason === undefined).toBe(expected);
});
