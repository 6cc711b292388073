/**
 * One rule `allow <program> *` for each command of the fixtures: how many abuses pass unasked, and how many ordinary
 * commands are asked about. Run with `npx vitest run test/one-rule.test.ts`; the test prints both rates.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decide } from "../src/policy/index.js";
import type { Verdict } from "../src/policy/index.js";
import { plannedCommand } from "../src/policy/intent.js";
import { findProgram } from "../src/policy/programs/known-programs.js";

/** Bars of the rules: docs/rules.md. */
const MAX_ABUSES_PASSED = 0.02;
const MAX_ORDINARY_ASKED = 0.2;
const MIN_PROGRAMS = 60;

type Line = { readonly command: string; readonly program: string; readonly isAbuse: boolean };

const linesOf = (name: string): readonly Line[] =>
  readFileSync(new URL(`fixtures/one-rule/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      const found = /^(?<sign>[+-]) (?<command>(?<program>\S+).*)$/.exec(line)?.groups;
      if (!found) return [];
      const { sign, command = "", program = "" } = found;
      return [{ command, program, isAbuse: sign === "-" }];
    });

const verdictOn = ({ command, program }: Line): Verdict =>
  decide(
    plannedCommand({
      cwd: "/ws",
      command,
      executor: { language: "bash" },
    }),
    {
      rules: [{ allow: "execute", command: `${program} *` }],
      default: "ask",
      roots: ["/ws"],
      home: "/home/ann",
    },
  );

const isAllowed = (line: Line): boolean => verdictOn(line).effect === "allow";

const programsOf = (lines: readonly Line[]): ReadonlySet<string> =>
  new Set(lines.map(({ program }) => program));

const all = [...linesOf("described"), ...linesOf("undescribed")];

describe.each([
  { name: "described", lines: all.filter(({ program }) => findProgram(program)) },
  { name: "undescribed", lines: all.filter(({ program }) => !findProgram(program)) },
])("under one rule for a program that is $name", ({ name, lines }) => {
  const abuses = lines.filter(({ isAbuse }) => isAbuse);
  const ordinary = lines.filter(({ isAbuse }) => !isAbuse);
  const passed = abuses.filter(isAllowed);
  const asked = ordinary.filter((line) => !isAllowed(line));

  test("lets few abuses pass and asks about few ordinary commands", () => {
    const percent = (part: number, whole: number) =>
      `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
    process.stdout.write(
      `${name}, ${programsOf(lines).size} programs: abuses let through ${percent(passed.length, abuses.length)}, ` +
        `ordinary commands asked about ${percent(asked.length, ordinary.length)}\n`,
    );
    const shown = (found: readonly Line[]) => found.map(({ command }) => command);
    expect(programsOf(lines).size).toBeGreaterThanOrEqual(MIN_PROGRAMS);
    expect(passed.length / abuses.length, shown(passed).join("\n")).toBeLessThanOrEqual(MAX_ABUSES_PASSED);
    expect(asked.length / ordinary.length, shown(asked).join("\n")).toBeLessThanOrEqual(MAX_ORDINARY_ASKED);
  });
});

test("gives a reason for every ordinary command that it asks about", () => {
  const silent = all.filter((line) => {
    const { effect, reason, saw } = verdictOn(line);
    return effect !== "allow" && reason === undefined && saw.length < 2;
  });
  expect(silent.map(({ command }) => command)).toEqual([]);
});
