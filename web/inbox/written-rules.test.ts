import { expect, test } from "vitest";
import { rulesText, writtenRules } from "./written-rules.js";

test("reads back what it writes, also braces inside a text", () => {
  const rules = [
    { allow: "execute", command: "echo '} {' *" },
    { allow: "edit", path: "/shop/**" },
  ];
  expect(writtenRules(rulesText(rules))).toEqual({ isValid: true, rules });
});

test.each([
  "",
  "{",
  "[]",
  '"allow"',
  '{"deny":"execute"}',
  '{"allow":1}',
  '{"allow":"read"}\n{"ask":"read"}',
])("refuses %j", (text) => {
  expect(writtenRules(text)).toMatchObject({ isValid: false });
});
