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
