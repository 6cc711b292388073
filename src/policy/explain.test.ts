import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";
import { explain } from "./explain.js";
import { plannedCommand } from "./intent.js";
import { inMode } from "./modes.js";
import { abusive, ordinary } from "./programs/commands.samples.js";
import type { Rule } from "./rule.js";

/** The short mode takes every fourth command of the samples, beginning at a random one. */
const EVERY = process.env["TOOLGATE_LONG"] ? 1 : 4;
const SEED = fc.readConfigureGlobal().seed ?? Date.now();

const policyOf = (...rules: readonly Rule[]): Policy => ({
  ...inMode("ask", rules),
  roots: ["/ws"],
  home: "/home/ann",
});

const explained = (command: string, ...rules: readonly Rule[]) =>
  explain(plannedCommand({ command, cwd: "/ws", executor: { language: "bash" } }), policyOf(...rules));

test("reads each word as an option, a value, a path, a host, a subcommand or data", () => {
  const [part] = explained("curl -s -o out.json -d x=1 https://a.example/b").parts;
  expect(part?.words.map(({ word, meaning }) => `${word}: ${meaning}`)).toEqual([
    "curl: program, described",
    "-s: option",
    "-o: option",
    "out.json: value of -o: path, edited",
    "-d: option",
    "x=1: value of -d",
    "https://a.example/b: host, data is sent to it",
  ]);
  expect(part?.effects).toEqual(["edits /ws/out.json", "sends data to https://a.example/b"]);
  expect(part?.doubts.join()).toContain('only a rule with "https://a.example/b" in it allows');
});

test("names the files of redirects with the part that they belong to", () => {
  const { parts } = explained("ls src 2>/dev/null > list.txt && cat <<'EOF' >> src/a.txt\n> no\nEOF");
  expect(parts.map(({ redirects }) => redirects)).toEqual([["list.txt"], ["src/a.txt"]]);
});

test("names the rule that covers each part, and the part that none does", () => {
  const { verdict, parts } = explained("cd src && ls && go build ./...", {
    allow: "execute",
    command: "go test *",
  });
  expect(verdict.effect).toBe("ask");
  expect(parts.map(({ rules, needsNoRule }) => [rules, needsNoRule])).toEqual([
    [["allow read"], true],
    [["allow read"], false],
    [[], false],
  ]);
});

test("says why a rule for reading does not cover git beside a command that runs code", () => {
  const doubtsOf = (command: string, ...rules: readonly Rule[]) =>
    explained(command, ...rules).parts.map(({ doubts }) => doubts);
  const [code, git] = doubtsOf("sh check.sh && git status");
  expect([code, git?.join()]).toEqual([
    [],
    expect.stringContaining("git may run programs that settings name"),
  ]);
  expect(doubtsOf("sh check.sh && git status", { allow: "execute", command: "git status *" })).toEqual([
    [],
    [],
  ]);
});

test.each<[string, readonly Rule[] | undefined]>([
  ["go build ./...", [{ allow: "execute", command: "go build *", width: "subcommand" }]],
  [
    "cat /data/x",
    [
      { allow: "execute", command: ["cat", "/data/x"] },
      { allow: "read", path: "/data/x" },
    ],
  ],
  ["go test -exec ./x ./...", [{ allow: "execute", command: ["go", "test", "-exec", "./x", "./..."] }]],
  ["ls", undefined],
  ["rm .env", undefined],
  ["echo $(date) $X", undefined],
])("names the narrowest rules that let it run unasked: %s", (command, rules) => {
  const { wouldAllow, verdict } = explained(command);
  if (rules === undefined || command.startsWith("go")) expect(wouldAllow).toEqual(rules);
  else expect(wouldAllow).toEqual(expect.arrayContaining([{ allow: "read", path: "/data/x" }]));
  if (wouldAllow) expect(explained(command, ...wouldAllow).verdict.effect).toBe("allow");
  else expect(verdict.effect === "allow" || verdict.effect === "ask").toBe(true);
});

describe("agreement of explain and decide", () => {
  test("agrees with the decision on the sample commands", () => {
    const commands = [...ordinary, ...abusive].filter((_, index) => (index + SEED) % EVERY === 0);
    for (const command of commands) {
      const intent = plannedCommand({ command, cwd: "/ws", executor: { language: "bash" } });
      const { verdict, wouldAllow } = explain(intent, policyOf());
      expect(verdict, command).toEqual(decide(intent, policyOf()));
      if (wouldAllow) expect(decide(intent, policyOf(...wouldAllow)).effect, command).toBe("allow");
    }
  });
});
