import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { decide } from "../policy/index.js";
import type { Rule } from "../policy/index.js";
import { plannedCommand } from "../policy/intent.js";
import { RuleSource } from "./rule-source.js";

const made: string[] = [];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function settings(files: { readonly [name: string]: unknown }) {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-programs-"));
  made.push(folder);
  mkdirSync(join(folder, "programs"));
  const write = (name: string, content: unknown) =>
    writeFileSync(
      join(folder, "programs", name),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  for (const [name, content] of Object.entries(files)) write(name, content);
  const problems: string[] = [];
  const source = new RuleSource({ folder, onProblem: (problem) => problems.push(problem) });
  const effect = (command: string, rules: readonly Rule[]) => {
    const inForce = source.current("/ws");
    const intent = plannedCommand({
      cwd: "/ws",
      command,
      executor: { language: "bash" },
    });
    const programs = inForce.programs && { programs: inForce.programs };
    return decide(intent, {
      rules: [...inForce.rules, ...rules],
      roots: ["/ws"],
      home: "/home/ann",
      ...programs,
    }).effect;
  };
  return { effect, write, problems, source };
}

const FROB: readonly Rule[] = [{ allow: "execute", command: "frob *" }];

test("judges a program that the user described by that description", () => {
  const { effect } = settings({
    "frob.json": {
      programs: { frob: { takes: "-v -o=", edits: "-o", words: "read", doubts: {} } },
    },
  });
  expect(effect("frob -v a.txt", FROB)).toBe("allow");
  expect(effect("frob --other a.txt", FROB)).toBe("ask");
  expect(effect("frob -o gen/x a.txt", [...FROB, { deny: "edit", path: "/ws/gen/**" }])).toBe("deny");
});

test("asks about a program that nobody described, unless a rule names it and its words are plain", () => {
  const { effect } = settings({});
  expect(effect("frob -v a.txt", [{ allow: "execute" }])).toBe("ask");
  expect(effect("frob --exec a.txt", FROB)).toBe("ask");
  expect(effect("frob -v a.txt", FROB)).toBe("allow");
});

test("narrows a program of ours when the user doubts a flag, a subcommand or that it only reads", () => {
  const { effect } = settings({
    "narrow.json": {
      programs: {
        cat: { onlyReads: false },
        sort: { doubts: { "-u": "is not for us" } },
        npm: { subcommands: { test: { does: [{ doubt: "runs too long" }] } } },
      },
    },
  });
  const reads: readonly Rule[] = [{ allow: "read" }];
  expect(effect("cat a.txt", reads)).toBe("ask");
  expect(effect("head a.txt", reads)).toBe("allow");
  expect(effect("sort -u a.txt", [{ allow: "execute", command: "sort *" }])).toBe("ask");
  expect(effect("sort -r a.txt", [{ allow: "execute", command: "sort *" }])).toBe("allow");
  expect(effect("npm test", [{ allow: "execute", command: "npm *" }])).toBe("ask");
  expect(effect("npm run lint", [{ allow: "execute", command: "npm *" }])).toBe("allow");
});

test("asks about everything while a file cannot be read, and says which and why", () => {
  const { effect, write, problems } = settings({ "broken.json": "{ programs: }" });
  expect(effect("cat a.txt", [{ allow: "*" }])).toBe("ask");
  expect(problems.join("\n")).toMatch(/broken\.json:1: /);
  write("broken.json", { programs: {} });
  expect(effect("cat a.txt", [{ allow: "*" }])).toBe("allow");
});

test("keeps the last good description when a file breaks", () => {
  const { effect, write } = settings({ "cat.json": { programs: { cat: { onlyReads: false } } } });
  expect(effect("cat a.txt", [{ allow: "read" }])).toBe("ask");
  write("cat.json", "{");
  expect(effect("cat a.txt", [{ allow: "read" }])).toBe("ask");
});
