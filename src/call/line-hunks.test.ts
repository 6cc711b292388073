import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LineHunk } from "./line-hunks.js";
import { lineHunks } from "./line-hunks.js";

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const numbered = (count: number, words = "line") =>
  Array.from({ length: count }, (_, index) => `${words} ${index}\n`);
const hunk = (oldStart: number, oldLines: number, newStart: number, newLines: number): LineHunk => ({
  oldStart,
  oldLines,
  newStart,
  newLines,
});

/** The old lines with the hunks applied; what is outside of the hunks must come from the old text alone. */
function applied(oldText: string, newText: string): string {
  const old = linesOf(oldText);
  const now = linesOf(newText);
  const result: string[] = [];
  let done = 0;
  for (const { oldStart, oldLines, newStart, newLines } of lineHunks(oldText, newText)) {
    for (const line of old.slice(done, oldStart - 1)) result.push(line);
    expect(newStart).toBe(result.length + 1);
    for (const line of now.slice(newStart - 1, newStart - 1 + newLines)) result.push(line);
    done = oldStart - 1 + oldLines;
  }
  return [...result, ...old.slice(done)].join("");
}

function editCount(oldText: string, newText: string): number {
  return lineHunks(oldText, newText).reduce((sum, { oldLines, newLines }) => sum + oldLines + newLines, 0);
}

/** The fewest edits there can be, from the textbook's table of longest common subsequences. */
function fewestEdits(oldText: string, newText: string): number {
  const old = linesOf(oldText);
  const now = linesOf(newText);
  let above = now.map(() => 0);
  for (const line of old) {
    const row: number[] = [];
    for (const [index, other] of now.entries()) {
      const corner = index === 0 ? 0 : (above[index - 1] ?? 0);
      row.push(line === other ? corner + 1 : Math.max(above[index] ?? 0, row[index - 1] ?? 0));
    }
    above = row;
  }
  return old.length + now.length - 2 * (above.at(-1) ?? 0);
}

/** The same numbers on every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffled(lines: readonly string[]): string[] {
  const random = randomNumbers(7);
  return lines
    .map((line) => ({ line, at: random(2 ** 31) }))
    .sort((one, other) => one.at - other.at)
    .map(({ line }) => line);
}

describe("the hunks of a change", () => {
  test("has no hunks for equal texts", () => {
    expect(lineHunks("a\nb", "a\nb")).toEqual([]);
    expect(lineHunks("", "")).toEqual([]);
  });

  test("has one hunk for each place, with both sides' line numbers", () => {
    expect(lineHunks("a\nb\nc\nd\ne\n", "a\nB\nc\nnew\nd\n")).toEqual([
      hunk(2, 1, 2, 1),
      hunk(4, 0, 4, 1),
      hunk(5, 1, 6, 0),
    ]);
  });

  test("has one hunk from line 1 for a new or deleted text", () => {
    expect(lineHunks("", "a\nb")).toEqual([hunk(1, 0, 1, 2)]);
    expect(lineHunks("a\n\n", "")).toEqual([hunk(1, 2, 1, 0)]);
  });

  test("puts a line that is doubled at the end behind the last line", () => {
    expect(lineHunks("a\na\n", "a\na\na\n")).toEqual([hunk(3, 0, 3, 1)]);
  });

  test("counts an added or removed last line end as a change", () => {
    expect(lineHunks("a\nb", "a\nb\n")).toEqual([hunk(2, 1, 2, 1)]);
    expect(lineHunks("a\n", "a")).toEqual([hunk(1, 1, 1, 1)]);
    expect(lineHunks("a", "a\nb")).toEqual([hunk(1, 1, 1, 2)]);
  });

  test("compares CRLF and LF as different, line by line", () => {
    expect(lineHunks("a\r\nb\r\nc\r\n", "a\r\nb\nc\r\n")).toEqual([hunk(2, 1, 2, 1)]);
  });

  test("keeps other line separators as parts of a line", () => {
    expect(lineHunks("a\rb\u2028c\n", "a\rB\u2028c\n")).toEqual([hunk(1, 1, 1, 1)]);
  });
});

describe("any two texts", () => {
  const words = fc.constantFrom("a", "b", "c", "", "}", "a\r");
  const ended = fc.array(words, { maxLength: 30 }).map((lines) => lines.join("\n"));
  const both = fc.oneof(
    fc.tuple(ended, ended),
    // An edited copy: mostly the same, changed in some places.
    fc
      .array(fc.tuple(words, fc.constantFrom("keep", "keep", "keep", "drop", "double", "change")), {
        maxLength: 60,
      })
      .map((lines): [string, string] => [
        lines.map(([line]) => `${line}\n`).join(""),
        lines
          .map(([line, what]) => {
            if (what === "drop") return "";
            if (what === "double") return `${line}\n${line}\n`;
            return what === "change" ? `${line}!\n` : `${line}\n`;
          })
          .join(""),
      ]),
  );

  test("the hunks, applied to the old lines, give the new lines", () => {
    fc.assert(
      fc.property(both, ([before, after]) => {
        expect(applied(before, after)).toBe(after);
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
    );
  });

  test("have no smaller change than the one found", () => {
    fc.assert(
      fc.property(both, ([before, after]) => {
        expect(editCount(before, after)).toBe(fewestEdits(before, after));
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
    );
  });

  test("the hunks are in order, not empty, and a line that stayed stands between any two", () => {
    fc.assert(
      fc.property(both, ([before, after]) => {
        let oldEnd = -1;
        let newEnd = -1;
        for (const { oldStart, oldLines, newStart, newLines } of lineHunks(before, after)) {
          expect(oldLines + newLines).toBeGreaterThan(0);
          expect(oldStart).toBeGreaterThan(oldEnd);
          expect(newStart).toBeGreaterThan(newEnd);
          oldEnd = oldStart + oldLines;
          newEnd = newStart + newLines;
        }
      }),
    );
  });
});

describe("large texts, at any difference", () => {
  const random = randomNumbers(1);
  const many = numbered(20_000);
  const dice = (sides: number, count: number) => Array.from({ length: count }, () => `${random(sides)}\n`);
  const code = (names: string, count: number) =>
    Array.from({ length: count }, (_, index) => [
      `function ${names}${index}() {\n`,
      `  return ${names}${random(50)};\n`,
      "}\n",
      "\n",
    ]).flat();
  const longLine = "x".repeat(1_000_000);
  const everyTenth = many.map((line, index) => (index % 10 === 0 ? `changed ${line}` : line));
  const twice = [...many.slice(0, 10_000), ...many.slice(0, 10_000)];
  const cases: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
    "all different": [many, numbered(20_000, "other")],
    "rewritten but for its brackets": [code("a", 5000), code("b", 5000)],
    shuffled: [many, shuffled(many)],
    "shuffled, each line twice": [twice, shuffled(twice)],
    reversed: [many, many.toReversed()],
    "changed in every tenth line": [many, everyTenth],
    "a few lines in any order": [dice(3, 20_000), dice(3, 20_000)],
    "many lines in any order": [dice(2000, 20_000), dice(2000, 20_000)],
    "100,000 equal lines, more of them": [
      Array.from({ length: 100_000 }, () => "}\n"),
      Array.from({ length: 100_007 }, () => "}\n"),
    ],
    "100,000 equal lines, others between": [
      Array.from({ length: 100_000 }, (_, index) => (index % 1000 === 0 ? `${index}\n` : "}\n")),
      Array.from({ length: 100_000 }, (_, index) => (index % 999 === 0 ? `${index}\n` : "}\n")),
    ],
    "lines of a megabyte": [
      Array.from({ length: 12 }, (_, index) => `${longLine}${index}\n`),
      Array.from({ length: 12 }, (_, index) => `${longLine}${index + 1}\n`),
    ],
    "long lines of one length that differ at their end": [
      Array.from({ length: 600 }, (_, index) => `${longLine.slice(0, 20_000)}${1000 + index}\n`),
      Array.from({ length: 600 }, (_, index) => `${longLine.slice(0, 20_000)}${2000 + index}\n`),
    ],
  };

  test.each(Object.entries(cases))("%s: exact, and soon done", (_, [old, now]) => {
    const [before, after] = [old.join(""), now.join("")];
    const start = process.cpuUsage();
    lineHunks(before, after);
    // The promise is 100 ms.
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
    expect(applied(before, after)).toBe(after);
  });

  test("finds two thousand small edits in a large text", () => {
    expect(lineHunks(many.join(""), everyTenth.join("")).length).toBe(2000);
  });

  test("finds every unmoved line of a shuffled text", () => {
    // Dropping and repeating no line, so the fewest edits follow from the longest rise, which is about 2 √n long.
    const kept = many.length - editCount(many.join(""), shuffled(many).join("")) / 2;
    expect(kept).toBeGreaterThan(260);
  });

  test("too many edits for the exact search are still found between lines that occur once", () => {
    const before = code("a", 5000);
    const after = before.map((line, index) =>
      index % 8 === 1 ? `  return something(${random(9)});\n` : line,
    );
    expect(lineHunks(before.join(""), after.join("")).length).toBe(2500);
  });

  test("finds them when every line occurs twice on both sides", () => {
    const after = twice.map((line, index) => twice[index % 2 === 0 ? index + 1 : index - 1] ?? line);
    expect(editCount(twice.join(""), after.join(""))).toBe(20_000);
  });

  test("distinguishes megabyte lines that differ in one character", () => {
    const [old, now] = cases["lines of a megabyte"] ?? [[], []];
    expect(lineHunks(old.join(""), now.join(""))).toEqual([hunk(1, 1, 1, 0), hunk(13, 0, 12, 1)]);
  });
});
