/**
 * test/fast-agent/README.md keeps its word: every behaviour that fast-agent's tests pin down is on it, and every test
 * that it names exists.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const text = (path: string): string => readFileSync(`${root}${path}`, "utf8");

type Row = {
  readonly group: string;
  readonly behaviour: string;
  readonly tests: readonly string[];
  readonly difference: string;
};

const rows = text("test/fast-agent/README.md")
  .split(/^## /m)
  .slice(1)
  .flatMap((section): Row[] => {
    const group = /^Group `(\w+)`/m.exec(section)?.[1] ?? "";
    return [...section.matchAll(/^\| `(\w+)` *\| (.*?) *\| (.*?) *\|$/gm)].map(
      ([, behaviour = "", tests = "", difference = ""]) => ({
        group,
        behaviour,
        tests: tests.split("<br>").filter((name) => name.trim() !== ""),
        difference,
      }),
    );
  });

/** The names of a file's tests, as they are written. */
const testNames = (path: string): readonly string[] =>
  [...text(path).matchAll(/(?:\btest(?:\.\w+)*|\))\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*,/g)].map(
    ([, literal = '""']) =>
      literal.startsWith('"') ? String(JSON.parse(literal)) : literal.slice(1, -1).replaceAll("\\'", "'"),
  );

const comparisons = readdirSync(`${root}test/fast-agent`)
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap((name) => testNames(`test/fast-agent/${name}`));

test("every behaviour of fast-agent's list has a row, once", () => {
  const listed = Object.entries<readonly string[]>(
    JSON.parse(text("test/fixtures/fast-agent-behaviours.json")),
  ).flatMap(([group, behaviours]) => behaviours.map((behaviour) => `${group}: ${behaviour}`));
  expect(listed.length).toBeGreaterThan(150);
  const shown = rows.filter(({ group }) => group !== "beyond");
  expect(shown.map(({ group, behaviour }) => `${group}: ${behaviour}`)).toEqual(listed);
});

test("every row names a test or says what differs", () => {
  const empty = rows.filter(({ tests, difference }) => tests.length === 0 && difference === "");
  expect(empty).toEqual([]);
});

test("every test that a row names exists", () => {
  const missing = rows.flatMap(({ group, behaviour, tests }) =>
    tests.filter((named) => {
      const [, path, name] = /^`(.+?)`: (.*)$/.exec(named) ?? [];
      if (path !== undefined && name !== undefined) return !testNames(path).includes(name);
      return !comparisons.includes(`${group}: ${behaviour}: ${named}`);
    }),
  );
  expect(missing).toEqual([]);
});

test("every test that compares us with fast-agent is on the page", () => {
  const named = new Set(
    rows.flatMap(({ group, behaviour, tests }) => tests.map((name) => `${group}: ${behaviour}: ${name}`)),
  );
  expect(comparisons.filter((name) => !named.has(name))).toEqual([]);
  expect(comparisons.length).toBeGreaterThan(100);
});
