import { expect, test } from "vitest";
import { readRuleFile } from "./read-rule-file.js";

test("reads a rule file as written", () => {
  const rules = [
    {
      allow: "execute",
      command: "git log *",
      examples: { match: ["git log --oneline"], notMatch: ["git push"] },
    },
    { deny: "edit", path: "~/secrets/**", reason: "not that" },
    { ask: "*", server: "files*", until: "2030-01-31T12:00:00+02:00" },
    { allow: "fetch", host: "*.example.com" },
    { allow: "execute", command: ["make", "a b", ""], anyFlags: true },
  ];
  const text = JSON.stringify({ $schema: "rules.schema.json", mode: "read-only", rules });
  expect(readRuleFile(text, "rules.json")).toEqual({ ok: true, file: { mode: "read-only", rules } });
});

test("paths of a project's own file start from the project", () => {
  const paths = ["dist/**", "./a b", "/etc/**", "~/x", "**/y", "**", "*.lock"];
  const text = JSON.stringify({ rules: paths.map((path) => ({ deny: "edit", path })) });
  const reading = readRuleFile(text, "rules.json", "/ws");
  expect(reading.ok && reading.file.rules.map(({ path }) => path)).toEqual([
    "/ws/dist/**",
    "/ws/a b",
    "/etc/**",
    "~/x",
    "**/y",
    "**",
    "/ws/*.lock",
  ]);
});

test.each([
  ["../other/**", "/ws"],
  ["a/../../other", "/ws"],
  // Such a rule would cover the folders of other projects.
  ["dist/**", "/w*"],
])("refuses %s in a project's own file below %s", (path, root) => {
  const text = JSON.stringify({ rules: [{ deny: "edit", path }] });
  expect(readRuleFile(text, "rules.json", root).ok).toBe(false);
});

/** The file, the line that is named, and what is said. */
test.each<[string, readonly string[], number, string]>([
  ["nothing", [""], 1, "it ends where a value should be. The file must be plain JSON."],
  [
    "a comment",
    ["{", "  // mine", `  "rules": []`, "}"],
    2,
    `there is "/" where a name in double quotes should be`,
  ],
  ["a comment for a value", [`{ "rules":`, "  /* none */ []", "}"], 2, "comments are not supported"],
  [
    "a last comma",
    ["{", `  "rules": [`, `    { "deny": "x" },`, "  ]", "}"],
    3,
    `there is a comma before "]"`,
  ],
  [
    "no comma",
    ["{", `  "mode": "ask"`, `  "rules": []`, "}"],
    3,
    `there is "\\"" where "," or "}" should be`,
  ],
  [
    "an open text",
    ["{", `  "mode": "ask,`, `  "rules": []`, "}"],
    2,
    "a text has no closing quote on its line",
  ],
  ["no end", ["{", `  "rules": [`, ""], 3, "it ends where a value should be"],
  ["two files", [`{ "rules": [] }`, `{ "rules": [] }`], 2, "there is something after its end"],
  ["a list", ["[]"], 1, "it must be an object in { }"],
  ["no rules", ["", "{ }"], 2, `"rules": it must be a list`],
  [
    "a mode of its own",
    ["{", `  "mode":`, `    "yolo",`, `  "rules": []`, "}"],
    2,
    `"mode": it must be one of "ask", "accept-edits", "read-only", "allow-all"`,
  ],
  [
    "a field nobody knows",
    ["{", `  "rules": [],`, `  "rulez": []`, "}"],
    3,
    `nobody knows the field "rulez"`,
  ],
  [
    "a rule that is a text",
    [`{ "rules": [`, `  { "deny": "a" },`, `  "deny b"`, "] }"],
    3,
    "rule 2: it must be an object in { }",
  ],
  [
    "a misspelled field",
    [`{ "rules": [`, `  { "deny": "execute",`, `    "comand": "rm *" }`, "] }"],
    3,
    `rule 1: nobody knows the field "comand"`,
  ],
  [
    "a misspelled effect",
    [`{ "rules": [`, `  {`, `    "dney": "x" } ] }`],
    3,
    `rule 1: nobody knows the field "dney"`,
  ],
  [
    "no effect",
    [`{ "rules": [`, `  { "deny": "a" },`, `  { "command": "ls" }`, "] }"],
    3,
    `rule 2: it has neither "allow", "ask" nor "deny"; it must have exactly one`,
  ],
  [
    "two effects",
    [`{ "rules": [`, "", `  { "allow": "a", "deny": "a" }`, "] }"],
    3,
    `rule 1: it has "allow" and "deny"; it must have exactly one`,
  ],
  [
    "an effect that is none",
    [`{ "rules": [ {`, `  "deny": true } ] }`],
    2,
    `rule 1: "deny": it must be a text`,
  ],
  ["an empty pattern", [`{ "rules": [ {`, `  "deny": "" } ] }`], 2, `rule 1: "deny": it is empty`],
  [
    "a date without a time",
    [`{ "rules": [`, `  { "allow": "a",`, `    "until": "2030-01-31" }`, "] }"],
    3,
    `rule 1: "until": it must be a date and time with a zone`,
  ],
  [
    "a command that is a number",
    [`{ "rules": [`, `  { "allow": "a",`, `    "command": 7 }`, "] }"],
    3,
    `rule 1: "command": it must be a text or a list of words`,
  ],
  [
    "a * inside a word",
    [`{ "rules": [`, `  { "deny": "execute",`, "", `    "command": "*rm x" }`, "] }"],
    4,
    `rule 1: "command" has "*rm" in it, and a * counts only at the end of a word`,
  ],
  [
    "no words",
    [`{ "rules": [`, `  { "deny": "execute", "command": "  " }`, "] }"],
    2,
    `rule 1: "command" has no word in it`,
  ],
  [
    "no program",
    [`{ "rules": [`, `  { "deny": "execute", "command": ["", "x"] }`, "] }"],
    2,
    `rule 1: "command" has an empty program`,
  ],
  [
    "a relative path",
    [`{ "rules": [ { "deny": "edit",`, `  "path": "src/**" } ] }`],
    2,
    `rule 1: "path" is "src/**", which matches nothing`,
  ],
  [
    "a path upwards",
    [`{ "rules": [ { "deny": "edit",`, `  "path": "/ws/../etc" } ] }`],
    2,
    `rule 1: "path" is "/ws/../etc", which matches nothing`,
  ],
  [
    "a host with a path",
    [`{ "rules": [ { "deny": "fetch",`, `  "host": "https://a.example/b" } ] }`],
    2,
    `rule 1: "host" is "https://a.example/b", which is not a host`,
  ],
  [
    "an example that fails",
    [
      `{ "rules": [`,
      `  { "allow": "execute", "command": "git log *",`,
      `    "examples": {`,
      `      "notMatch": ["git log -1"] } }`,
      "] }",
    ],
    3,
    `rule 1: the rule "allow execute "git log *"" matches "git log -1", its example of what it must not match. Change the rule or the example.`,
  ],
  [
    "the first of several",
    [`{ "mode": "yolo",`, `  "rules": [ { "dney": "a" },`, `  { "deny": 1 } ] }`],
    1,
    `"mode"`,
  ],
  [
    "a name that turns the text around",
    [`{ "rules": [],`, `"a\u202Eb": 1 }`],
    2,
    `nobody knows the field "a⟨U+202E⟩b"`,
  ],
])("%s: the problem names file and line", (_name, lines, line, says) => {
  const reading = readRuleFile(lines.join("\n"), "/home/ann/rules.json");
  const problem = reading.ok ? "it was read" : reading.problem;
  expect(problem).toContain(says);
  expect(problem.startsWith(`/home/ann/rules.json:${line}: `), problem).toBe(true);
  expect(problem.endsWith(" No rule of this file was taken."), problem).toBe(true);
});

test("reads a file of mistakes in bounded time", () => {
  const start = process.cpuUsage();
  const reading = readRuleFile(`{ "rules": [${"1,".repeat(1_000_000)}1] }`, "rules.json");
  expect(reading).toMatchObject({
    ok: false,
    problem: expect.stringContaining("rules.json:1: rule 1: ") as string,
  });
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
});
