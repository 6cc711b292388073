import { diffContent } from "toolgate/call";
import { diffCard } from "toolgate/view";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedLines, splitRows, unifiedRows } from "./diff-table.js";

const rowsOf = (before: string, after: string) =>
  diffCard(diffContent("/a", before, after), { maxLines: 500 }).rows;
const lines = fc
  .array(fc.constantFrom("a", "b", "c d", "e"), { maxLength: 12 })
  .map((all) => all.map((line) => `${line}\n`).join(""));

describe("the rows of a diff", () => {
  test("marks words in a changed line", () => {
    const [, removed, added] = unifiedRows(rowsOf("x\nlet a = 1;\n", "x\nlet a = 2;\n"));
    expect(removed).toMatchObject({ type: "removed", oldLine: 2 });
    expect(
      removed && "pieces" in removed ? removed.pieces.find(({ isMarked }) => isMarked) : undefined,
    ).toEqual({ text: "1", isMarked: true });
    expect(added).toMatchObject({ type: "added", newLine: 2 });
  });

  test("counts the changed lines that are left out, too", () => {
    const countOf = (before: string, after: string, maxLines: number) =>
      changedLines(diffCard(diffContent("/a", before, after), { maxLines }).rows);
    expect(countOf("a\n".repeat(40), "b\n".repeat(30), 10)).toEqual({ removed: 40, added: 30 });
    fc.assert(
      fc.property(lines, lines, fc.nat(6), (before, after, maxLines) => {
        expect(countOf(before, after, maxLines)).toEqual(countOf(before, after, 500));
      }),
    );
    const patch = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n-z\n+w\n";
    const card = diffCard({ type: "diff", path: "/a", operation: "modify", patch }, { maxLines: 4 });
    expect(changedLines(card.rows)).toEqual({ removed: 2, added: 2 });
  });

  test("does not count changes that were put back", () => {
    const before = "a\n".repeat(20);
    const diff = diffContent("/a", before, `x\n${before}y\nz\n`);
    expect(changedLines(diffCard(diff, { undoneHunks: [1] }).rows)).toEqual({ removed: 0, added: 2 });
    expect(changedLines(diffCard(diff, { maxLines: 2, undoneHunks: [2] }).rows)).toEqual({
      removed: 0,
      added: 1,
    });
  });

  test("shows each line of the unified view once in the split view, on its side", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const rows = rowsOf(before, after);
        const split = splitRows(rows);
        const left = split.flatMap((row) =>
          row.type === "lines" && row.left?.type === "removed" ? [row.left] : [],
        );
        const right = split.flatMap((row) =>
          row.type === "lines" && row.right?.type === "added" ? [row.right] : [],
        );
        expect({ removed: left.length, added: right.length }).toEqual(changedLines(rows));
      }),
    );
  });

  test("keeps the text of every line", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const rows = rowsOf(before, after);
        const texts = unifiedRows(rows).map((row) =>
          row.type === "note" ? row.text : row.pieces.map(({ text }) => text).join(""),
        );
        expect(texts).toEqual(rows.map(({ text }) => text));
      }),
    );
  });
});
