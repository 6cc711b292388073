import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { DiffContent } from "../call/index.js";
import { diffContent, fileDiff } from "../call/index.js";
import { diffCard, diffLines } from "./diff-card.js";
import { hostileDiffs, INVISIBLE } from "./hostile.samples.js";

const FILE = "/app/a.ts";
const shown = (diff: DiffContent, maxLines?: number) =>
  `\n${diffLines(diff, maxLines === undefined ? {} : { maxLines }).join("\n")}\n`;
const edit = (oldText: string, newText: string) => diffContent(FILE, oldText, newText);
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

test("shows removed and added lines with two lines around them", () => {
  expect(shown(edit(numbered(1, 9), numbered(1, 9).replace("line 5\n", "line five\nline 5½\n")))).toBe(`
edit /app/a.ts
  line 3
  line 4
- line 5
+ line five
+ line 5½
  line 6
  line 7
`);
});

test("shows a new file as added and a deleted one as removed", () => {
  expect(shown(diffContent(FILE, undefined, "a\n\nb\n"))).toBe(`
add /app/a.ts
+ a
+ 
+ b
`);
  expect(shown(diffContent(FILE, "a\n", undefined))).toBe(`
delete /app/a.ts
- a
`);
});

test("says moves, copies and binary files in the heading", () => {
  const headings = [
    { operation: "move", oldPath: "/app/b.ts" },
    { operation: "copy", oldPath: "/app/b.ts", oldText: "x", newText: "x" },
    { operation: "add", fileType: "directory" },
    { operation: "modify", fileType: "binary", mimeType: "image/png" },
    { operation: "delete" },
    { operation: "add", newText: "" },
  ] as const;
  expect(headings.map((diff) => diffLines({ type: "diff", path: FILE, ...diff }).join(" | "))).toEqual([
    "move /app/b.ts to /app/a.ts",
    "copy /app/b.ts to /app/a.ts (same text)",
    "add /app/a.ts (directory)",
    "edit /app/a.ts (binary, image/png)",
    "delete /app/a.ts",
    "add /app/a.ts (empty)",
  ]);
});

test("shows text that is there, even if the agent calls the file binary", () => {
  expect(shown({ type: "diff", operation: "add", path: FILE, fileType: "binary", newText: "rm -rf ~\n" }))
    .toBe(`
add /app/a.ts (binary)
+ rm -rf ~
`);
});

test("shows no new file when only one side of the text is known", () => {
  expect(shown({ type: "diff", operation: "modify", path: FILE, newText: "a\n" })).toBe(`
edit /app/a.ts (the text before is not known)
+ a
`);
});

test("shows a patch as it came when there is nothing else", () => {
  expect(shown({ type: "diff", operation: "modify", path: FILE, patch: "@@ -1 +1 @@\n-a\n+b\n" })).toBe(`
edit /app/a.ts (as a patch)
  @@ -1 +1 @@
  -a
  +b
`);
});

test("gives both sides their share when there is too much, and counts the rest", () => {
  expect(shown(edit(numbered(1, 100), numbered(201, 202)), 6)).toBe(`
edit /app/a.ts
- line 1
- line 2
- line 3
- line 4
… 96 removed lines left out
+ line 201
+ line 202
`);
  expect(shown(edit(numbered(1, 9), numbered(21, 29)), 4)).toBe(`
edit /app/a.ts
- line 1
- line 2
… 7 removed lines left out
+ line 21
+ line 22
… 7 added lines left out
`);
});

test("shows a change of nothing but white space", () => {
  expect(shown(edit("a\n\tb\nc\n", "a  \n    b\nc\n"))).toBe(`
edit /app/a.ts
- a
- →   b
+ a··
+     b
  c
`);
});

test("shows a line end that comes or goes at the end of the file", () => {
  expect(shown(edit("a\nb", "a\nb\n"))).toBe(`
edit /app/a.ts
  a
- b
\\ no line end after this line
+ b
`);
});

test("shows only the difference of two pieces that both stop short of a line end", () => {
  expect(shown(edit("a", "a\nb"))).toBe(`
edit /app/a.ts
  a
+ b
`);
});

test("notes CRLF once when all lines have it, and on each line when it is the change", () => {
  expect(shown(edit("a\r\nb\r\n", "a\r\nc\r\n"))).toBe(`
edit /app/a.ts (CRLF line ends)
  a
- b
+ c
`);
  expect(shown(edit("a\n", "a\r\n"))).toBe(`
edit /app/a.ts
- a
+ a\\r
`);
});

test("distinguishes a line of the file from a note or a sign of ours", () => {
  expect(shown(edit("… 3 added lines left out\n", "+ x\n"))).toBe(`
edit /app/a.ts
- … 3 added lines left out
+ + x
`);
});

test("shows each changed place of a file, and how many lines stayed the same between them", () => {
  const after = numbered(1, 40).replace("line 5\n", "line five\n").replace("line 31\n", "");
  expect(shown(edit(numbered(1, 40), after))).toBe(`
edit /app/a.ts
  line 3
  line 4
- line 5
+ line five
  line 6
  line 7
… 21 unchanged lines left out
  line 29
  line 30
- line 31
  line 32
  line 33
`);
});

test("places near each other share the lines between them", () => {
  const after = numbered(1, 9).replace("line 3\n", "three\n").replace("line 5\n", "line 5\nmore\n");
  expect(shown(edit(numbered(1, 9), after))).toBe(`
edit /app/a.ts
  line 1
  line 2
- line 3
+ three
  line 4
  line 5
+ more
  line 6
  line 7
`);
});

test("gives each shown place its share when there are too many, and counts the others", () => {
  const before = numbered(1, 5000);
  const everyTenth = before.replaceAll(/line (\d*0)\n/g, "ten $1\n").replace("line 5\n", "");
  expect(shown(edit(before, everyTenth), 6)).toBe(`
edit /app/a.ts
- line 5
… 4 unchanged lines left out
- line 10
+ ten 10
… 8 unchanged lines left out
  line 19
- line 20
+ ten 20
… 498 more changes left out (498 removed lines, 498 added lines)
`);
  const one = numbered(1, 60).replace("line 9\n", "nine\n");
  expect(shown(edit(one, `${numbered(1, 20)}${numbered(101, 140)}`), 7)).toBe(`
edit /app/a.ts
- nine
+ line 9
… 11 unchanged lines left out
- line 21
- line 22
- line 23
… 37 removed lines left out
+ line 101
+ line 102
… 38 added lines left out
`);
});

test("shows a removed line end even when its line has moved", () => {
  expect(shown(edit("b\na", "a\nb\n"))).toBe(`
edit /app/a.ts
+ a
  b
- a
\\ no line end after this line
`);
});

test("takes no line of the file for a note between two places", () => {
  const note = "… 5 unchanged lines left out\n";
  expect(shown(edit(`a\n${note}b\n`, `A\n${note}B\n`))).toBe(`
edit /app/a.ts
- a
+ A
  … 5 unchanged lines left out
- b
+ B
`);
});

test("shows the lines of the texts in order, with as many between as the notes say", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d", "e", ""), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 60 }), (oldText, newText, maxLines) => {
      const [, ...lines] = diffLines(edit(oldText, newText), { maxLines });
      for (const [sign, side, whole] of [
        ["- ", "removed", oldText],
        ["+ ", "added", newText],
      ] as const) {
        const pattern = lines
          .map((line) => {
            const [, count, thing] = /^… (\d+) (unchanged|removed|added) line/.exec(line) ?? [];
            if (thing === "unchanged" || thing === side) return String.raw`(?:.*\n){${count}}`;
            return line.startsWith(sign) || line.startsWith("  ") ? String.raw`${line.slice(2)}\n` : "";
          })
          .join("");
        expect(whole).toMatch(new RegExp(`^(?:.*\n)*${pattern}(?:.*\n)*$`));
      }
      expect(lines.length === 0).toBe(oldText === newText);
    }),
  );
});

test("shows no invisible character of any diff, one line per line, and no more than the limit", () => {
  fc.assert(
    fc.property(hostileDiffs, fc.integer({ min: 1, max: 5 }), (diff, maxLines) => {
      const [heading = "", ...lines] = diffLines(diff, { maxLines });
      for (const line of [heading, ...lines]) {
        expect(line).not.toMatch(INVISIBLE);
        expect(line).not.toContain("\n");
      }
      for (const line of lines) expect(line).toMatch(/^(?:[-+ ] |… [\d,]+ |\\ no line end)/);
      expect(lines.filter((line) => /^[-+ ] /.test(line)).length).toBeLessThanOrEqual(maxLines);
    }),
  );
});

test("shows a large file at the cost of reading it", () => {
  const old = numbered(1, 200_000);
  const start = process.cpuUsage();
  diffLines(edit(old, `first\n${old}${" ".repeat(200_000)}x\n`));
  // A diff that compares each line with each other, or tries each run of spaces, would take minutes.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5_000);
});

test("shows the same rows of a large file from its hunks as from its texts", () => {
  const before = numbered(1, 20_000);
  const after = before
    .replace("line 5\n", "line five\n")
    .replace("line 9\n", "")
    .replace("line 19000\n", "line 19000\nand another\n");
  const diff = fileDiff(FILE, before, after);
  expect(diff.hunks).toHaveLength(2);
  expect(diffCard(diff)).toEqual(diffCard(diffContent(FILE, before, after)));
  const crlf = (text: string) => text.replaceAll("\n", "\r\n");
  expect(diffCard(fileDiff(FILE, crlf(before), crlf(after)))).toEqual(
    diffCard(diffContent(FILE, crlf(before), crlf(after))),
  );
});

test("marks a cut line", () => {
  const long = "field,".repeat(20_000);
  expect(diffLines(fileDiff(FILE, long, `${long}more`))[0]).toBe("edit /app/a.ts (long lines are cut)");
});
