import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readRuleFile } from "./read-rule-file.js";
import { rulesJsonSchema } from "./rules-schema.js";

const check = new Ajv2020({ formats: { "date-time": true } }).compile(rulesJsonSchema());

/** The contract, by hand: what is a rule file and what is not, for the reader and for an editor alike. */
test.each<[unknown, boolean]>([
  [{ rules: [] }, true],
  [
    { $schema: "x", mode: "allow-all", rules: [{ allow: "read" }, { ask: "*" }, { deny: "edit_file" }] },
    true,
  ],
  [
    {
      rules: [
        { deny: "execute", command: "rm *", reason: "no", examples: { match: ["rm x"], notMatch: [] } },
      ],
    },
    true,
  ],
  [
    { rules: [{ allow: "execute", command: ["git", "log"], anyFlags: true, until: "2030-01-31T12:00:00Z" }] },
    true,
  ],
  [{ rules: [{ allow: "fetch", host: "example.com", server: "web", path: "/ws/**" }] }, true],
  [{ rules: [{ allow: "a", server: "s", definition: "0".repeat(64), fingerprint: "f".repeat(64) }] }, true],
  [{ rules: [{ allow: "a", server: "s", definition: "of another kind" }] }, false],
  [{}, false],
  [{ rules: {} }, false],
  [{ mode: "yolo", rules: [] }, false],
  [{ rules: [], extra: 1 }, false],
  [{ rules: [{}] }, false],
  [{ rules: [{ allow: "a", ask: "a" }] }, false],
  [{ rules: [{ allow: "a", deny: "a" }] }, false],
  [{ rules: [{ allow: "" }] }, false],
  [{ rules: [{ allow: "a", comand: "x" }] }, false],
  [{ rules: [{ allow: "a", command: [] }] }, false],
  [{ rules: [{ allow: "a", command: [1] }] }, false],
  [{ rules: [{ allow: "a", anyFlags: "yes" }] }, false],
  [{ rules: [{ allow: "a", until: "tomorrow" }] }, false],
  [{ rules: [{ allow: "a", command: "a", examples: { match: "a" } }] }, false],
  [{ rules: [{ allow: "a", command: "a", examples: { matches: ["a"] } }] }, false],
])("%j is a rule file: %s", (value, isOne) => {
  expect(readRuleFile(JSON.stringify(value), "rules.json").ok).toBe(isOne);
  expect(check(value)).toBe(isOne);
});

test("publishes the schema as plain JSON with every field", () => {
  const schema = rulesJsonSchema();
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  expect(schema).toMatchObject({ title: "Toolgate rules", required: ["rules"], additionalProperties: false });
});
