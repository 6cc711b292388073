import { expect, test } from "vitest";
import type { Rule } from "./index.js";
import { checkExamples } from "./check-examples.js";

const matching = (rule: Rule, ...match: readonly string[]) => checkExamples({ ...rule, examples: { match } });
const sparing = (rule: Rule, ...notMatch: readonly string[]) =>
  checkExamples({ ...rule, examples: { notMatch } });

test("an allowing rule must cover each command of an example", () => {
  const rule: Rule = { allow: "execute", command: "git log *" };
  expect(matching(rule, "git log", "git log -1 && git log -2", "/usr/bin/git log")).toBeUndefined();
  expect(
    sparing(rule, "git push", "git log; rm x", "git log $(rm x)", "git log $X", "git log > x", "./git log"),
  ).toBeUndefined();
  expect(matching(rule, "git log", "git log && rm x")).toBe(
    `the rule "allow execute "git log *"" does not match "git log && rm x", its example of a match`,
  );
});

test("matches a denying rule when it covers any command of the example", () => {
  const rule: Rule = { deny: "execute", command: "rm *" };
  expect(matching(rule, "rm x", "ls; rm x", "sudo rm x", "echo $(rm x)", "/opt/rm x")).toBeUndefined();
  expect(sparing(rule, "ls; rm x")).toContain(`matches "ls; rm x", its example of what it must not match`);
  expect(sparing(rule, "echo rm", "rmdir x")).toBeUndefined();
});

test("examples are commands, so a rule without one cannot have them", () => {
  expect(matching({ deny: "edit", path: "/etc/**" }, "ls")).toContain(`no "command"`);
  expect(matching({ deny: "edit", path: "/etc/**" })).toBeUndefined();
});

test("does not match an allowing rule when a flag is not known to be harmless", () => {
  const rule = { allow: "execute", command: "git log *" };
  expect(
    checkExamples({ ...rule, examples: { match: ["git log -3"], notMatch: ["git log --output=x"] } }),
  ).toBeUndefined();
  expect(
    checkExamples({ ...rule, anyFlags: true, examples: { match: ["git log --output=x"] } }),
  ).toBeUndefined();
});
