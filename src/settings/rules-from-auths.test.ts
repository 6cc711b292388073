import { expect, test } from "vitest";
import { decide } from "../policy/index.js";
import { rulesFromAuths } from "./rules-from-auths.js";

const HEAD = [
  "# fast-agent Tool Permissions",
  "",
  "This file stores persistent tool execution permissions.",
  "You can edit this file manually to add or remove permissions.",
  "",
  "| Server | Tool | Permission |",
  "|--------|------|------------|",
];
const auths = (...rows: readonly string[]) => rulesFromAuths([...HEAD, ...rows, ""].join("\n"));

test("makes each row a rule on that tool of that server", () => {
  expect(auths("| filesystem | write_file | allow_always |", "| web | fetch_page | reject_always |")).toEqual(
    {
      rules: [
        { allow: "write_file", server: "filesystem" },
        { deny: "fetch_page", server: "web" },
      ],
      skipped: [],
    },
  );
});

test("escaped bars and backslashes are part of a name, and further columns do not matter", () => {
  const row = String.raw`| a\|b | c\\d\e | allow_always | since May |`;
  expect(auths(row).rules).toEqual([{ allow: String.raw`c\d\e`, server: "a|b" }]);
});

test("makes one rule of a repeated row, and reads CRLF files alike", () => {
  const row = "| files | write | allow_always |";
  expect(rulesFromAuths([...HEAD, row, row].join("\r\n"))).toEqual({
    rules: [{ allow: "write", server: "files" }],
    skipped: [],
  });
});

test.each([
  ["| files | write |", `line 8: "" is neither allow_always nor reject_always; skipped: | files | write |`],
  ["| files | write | allow_once |", `line 8: "allow_once" is neither allow_always nor reject_always`],
  ["| files |  | allow_always |", "line 8: it names no server or no tool"],
  ["|  | write | reject_always |", "line 8: it names no server or no tool"],
  ["| files | * | allow_always |", "line 8: its * would allow every tool of such a name"],
  ["| * | write | allow_always |", "line 8: its * would allow every tool of such a name"],
])("skips %s with a message", (row, says) => {
  const { rules, skipped } = auths(row);
  expect(rules).toEqual([]);
  expect(skipped).toEqual([expect.stringContaining(says)]);
});

test("names a server's one tool when the tool is called like a kind", () => {
  const { rules, skipped } = auths("| files | read | allow_always |");
  expect(rules).toEqual([{ allow: "read", server: "files" }]);
  expect(skipped).toEqual([]);
  const effect = (tool: string, server?: string) =>
    decide(
      {
        tool,
        kind: "read",
        input: {},
        cwd: "/ws",
        paths: [],
        hosts: [],
        baseHashes: {},
        ...(server !== undefined && { server, isKindGuessed: true }),
      },
      { rules, roots: ["/ws"], home: "/home/ann", now: 0 },
    ).effect;
  expect(effect("read", "files")).toBe("allow");
  expect(effect("read_all", "files")).toBe("ask");
  expect(effect("read", "other")).toBe("ask");
  expect(effect("read_file")).toBe("ask");
});

test("keeps a rejected row rejected, also by a wider rule", () => {
  expect(auths("| files | delete | reject_always |", "| files | rm* | reject_always |").rules).toEqual([
    { deny: "delete", server: "files" },
    { deny: "rm*", server: "files" },
  ]);
});

test("reads no rules from a file without a table", () => {
  expect(rulesFromAuths("allow everything | please")).toEqual({ rules: [], skipped: [] });
});
