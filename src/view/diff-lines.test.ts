import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { DiffContent } from "../call/index.js";
import { diffContent } from "../call/index.js";
import { diffLines } from "./diff-lines.js";
import { hostileDiffs, INVISIBLE } from "./hostile.samples.js";

const FILE = "/app/a.ts";
const shown = (diff: DiffContent, maxLines?: number) =>
  `\n${diffLines(diff, maxLines === undefined ? {} : { maxLines }).join("\n")}\n`;
const edit = (oldText: string, newText: string) => diffContent(FILE, oldText, newText);
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

test("an edit shows what goes and comes, with two lines around it", () => {
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

test("a new file is all plus, a deleted one all minus", () => {
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

test("moves, copies and what is not text have a heading that says so", () => {
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

test("text that is there is shown, even if the agent calls the file binary", () => {
  expect(shown({ type: "diff", operation: "add", path: FILE, fileType: "binary", newText: "rm -rf ~\n" }))
    .toBe(`
add /app/a.ts (binary)
+ rm -rf ~
`);
});

test("a text of which only one side is known is not passed off as a new file", () => {
  expect(shown({ type: "diff", operation: "modify", path: FILE, newText: "a\n" })).toBe(`
edit /app/a.ts (the text before is not known)
+ a
`);
});

test("a patch is shown as it came when there is nothing else", () => {
  expect(shown({ type: "diff", operation: "modify", path: FILE, patch: "@@ -1 +1 @@\n-a\n+b\n" })).toBe(`
edit /app/a.ts (as a patch)
  @@ -1 +1 @@
  -a
  +b
`);
});

test("when there is too much, both sides get their share and the rest is counted", () => {
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

test("a change of nothing but white space can be seen", () => {
  expect(shown(edit("a\n\tb\nc\n", "a  \n    b\nc\n"))).toBe(`
edit /app/a.ts
- a
- →   b
+ a··
+     b
  c
`);
});

test("a line end that comes or goes at the end of the file can be seen", () => {
  expect(shown(edit("a\nb", "a\nb\n"))).toBe(`
edit /app/a.ts
  a
- b
\\ no line end after this line
+ b
`);
});

test("two pieces of a file that both stop short of a line end differ only where they differ", () => {
  expect(shown(edit("a", "a\nb"))).toBe(`
edit /app/a.ts
  a
+ b
`);
});

test("CRLF is told once where all lines have it, and on each line where it is the change", () => {
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

test("a line of the file cannot pass for a note or a sign of ours", () => {
  expect(shown(edit("… 3 added lines left out\n", "+ x\n"))).toBe(`
edit /app/a.ts
- … 3 added lines left out
+ + x
`);
});

test("the lines that are shown are the lines of the texts, in order", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (oldText, newText) => {
      const [, ...lines] = diffLines(edit(oldText, newText));
      const side = (sign: string) =>
        lines
          .filter((line) => line.startsWith(sign) || line.startsWith("  "))
          .map((line) => `${line.slice(2)}\n`)
          .join("");
      expect(oldText).toContain(side("- "));
      expect(newText).toContain(side("+ "));
      expect(lines.length === 0).toBe(oldText === newText);
    }),
  );
});

test("whatever is in it, a diff shows no invisible character, one line per line, and no more than asked for", () => {
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

test("a large file costs no more than reading it", () => {
  const old = numbered(1, 200_000);
  const start = performance.now();
  diffLines(edit(old, `first\n${old}${" ".repeat(200_000)}x\n`));
  // A diff that compares each line with each other, or tries each run of spaces, would take minutes.
  expect(performance.now() - start).toBeLessThan(5_000);
});
