import { describe, expect, test } from "vitest";
import { decide } from "../decide.js";
import type { Rule } from "../rule.js";
import { judgeArgv } from "./judge-argv.js";
import { plannedCommand } from "../intent.js";

const verdict = (command: string, ...rules: readonly Rule[]) =>
  decide(
    plannedCommand({
      cwd: "/ws",
      command,
      executor: { language: "bash" },
    }),
    { rules, default: "ask", roots: ["/ws"], home: "/home/ann" },
  );

const FOO: Rule = { allow: "execute", command: "foo *" };

describe("a rule that names an undescribed program", () => {
  test.each([
    "foo",
    "foo --fast",
    "foo -v -n 5 build",
    "foo --output=dist src/a.ts",
    "foo lint --format json 'two words'",
    "foo -c 3",
    "foo /ws/src/a.ts",
    "foo && foo build",
    "foo sync --dry-run",
  ])("covers plain words: %s", (command) => expect(verdict(command, FOO).effect).toBe("allow"));

  test.each([
    ["foo --exec id", '"--exec" may name code, settings or a command'],
    ["foo --pre-hook=x", '"--pre-hook" may name code'],
    ["foo --preHook x", '"--preHook" may name code'],
    ["foo -c 'x y'", '"-c" takes code or a command in many programs'],
    ["foo -ve x", '"-ve" takes code'],
    ["foo 'a; b'", "has signs in it that code has"],
    ["foo 'sh x'", "looks like a command"],
    ["foo bash", '"bash" is a program that runs others'],
    ["foo exec x", '"exec" may run what follows it'],
    ["foo -- x", 'the words behind "--" may be a command'],
    ["foo @list", '"@list" may take further words from a file'],
    ["foo https://a.example", "may be a host"],
    ["foo a=b,host=evil.com", "may be a host"],
    ["foo EDITOR=x", '"EDITOR=" may name code'],
    ["foo -R x.jar", 'given "x.jar", which may be code'],
    ["foo .env", "holds secrets"],
    ["foo --output=.git/hooks/pre-commit", "steers what runs later"],
    ["foo /etc/hosts", "/etc/hosts is outside of the workspace"],
    ["foo ../other", "/other is outside of the workspace"],
    ["foo -o/etc/x", "/etc/x is outside of the workspace"],
    ["foo delete x", '"delete" may delete something'],
    ["foo items remove x", '"remove" may delete something'],
    ["foo serve", '"serve" may open a port to others'],
    ["foo run x.py", '"run" runs "x.py"'],
    ["foo publish", 'it publishes something, which only a rule with "publish" in it allows'],
    ["foo secrets list", "it handles secrets"],
  ])("asks about %s", (command, reason) => {
    const { effect, saw } = verdict(command, FOO);
    expect(effect).toBe("ask");
    expect(saw.join("\n")).toContain(reason);
  });

  test("covers an act whose word the rule has", () =>
    expect(verdict("foo publish", { allow: "execute", command: "foo publish *" }).effect).toBe("allow"));

  test("asks about text that is fed to the program", () =>
    expect(verdict("foo <<< 'x'", FOO).effect).toBe("ask"));

  test("opens a place outside only together with a rule that allows edits there", () => {
    expect(verdict("foo /data/x", FOO, { allow: "read", path: "/data/**" }).effect).toBe("ask");
    const both: readonly Rule[] = [
      { allow: "read", path: "/data/**" },
      { allow: "edit", path: "/data/**" },
    ];
    expect(verdict("foo /data/x", FOO, ...both).effect).toBe("allow");
  });
});

test.each<Rule>([
  { allow: "execute" },
  { allow: "execute", command: "*" },
  { allow: "execute", command: "fo* *" },
  { allow: "execute", command: "* build" },
  { allow: "read" },
])("a rule that names no program covers none that is undescribed: %j", (rule) =>
  expect(verdict("foo build", rule).effect).toBe("ask"),
);

test("asks when a denial cannot be checked", () =>
  expect(verdict("foo build", FOO, { deny: "delete" }).effect).toBe("ask"));

test("words that are not plain are no longer the program's", () => {
  expect(judgeArgv(["foo", "build"])).toMatchObject({ isKnown: false, isPlain: true });
  expect(judgeArgv(["foo", "--exec", "x"]).isPlain).toBeUndefined();
  expect(judgeArgv(["foo", "x".repeat(40_000)]).isPlain).toBeUndefined();
});
