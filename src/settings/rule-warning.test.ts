import { expect, test } from "vitest";
import { TOOL_KINDS } from "../call/index.js";
import { ruleWarning } from "./rule-warning.js";

test.each([
  ["exectue", "execute"],
  ["excute", "execute"],
  ["Execute", "execute"],
  ["raed", "read"],
  ["reads", "read"],
  ["swich_mode", "switch_mode"],
  ["serach", "search"],
])("warns about %s as a typing error", (named, kind) => {
  for (const rule of [{ allow: named }, { ask: named }, { deny: named }])
    expect(ruleWarning(rule)).toBe(
      `"${named}" is no kind, so the rule covers a tool of that name. Is "${kind}" meant?`,
    );
});

test.each([...TOOL_KINDS, "*", "exec*", "read_file", "terminal", "deploy", "todo_write"])(
  "accepts %s without a warning",
  (named) => {
    expect(ruleWarning({ allow: named })).toBeUndefined();
  },
);

test("accepts any name of a known tool or of a server's tool", () => {
  expect(ruleWarning({ allow: "exec" })).toBeUndefined();
  expect(ruleWarning({ allow: "edits" }, ["edits"])).toBeUndefined();
  expect(ruleWarning({ allow: "edits", server: "notes" })).toBeUndefined();
});
