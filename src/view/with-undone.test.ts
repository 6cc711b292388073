import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffContent } from "../call/index.js";
import { hunksInContext } from "../call/diff-hunks.js";
import { diffCard } from "./diff-card.js";

const FILE = "/app/a.ts";

test("marks exactly the lines of the hunks that were put back when all lines are shown", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 60 });
  const text = lines.map((all) => all.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, fc.array(fc.nat(12)), (oldText, newText, chosen) => {
      const hunks = hunksInContext(oldText, newText);
      const undoneHunks = [...new Set(chosen)].filter((number) => number >= 1 && number <= hunks.length);
      const options = { maxLines: 1_000 };
      const diff = diffContent(FILE, oldText, newText);
      const { rows } = diffCard(diff, { ...options, undoneHunks });
      const wanted = undoneHunks.flatMap((number) => hunks[number - 1] ?? []);
      // A hunk by itself has the same changed lines as in the whole diff.
      const alone = wanted
        .map((hunk) => diffCard({ type: "diff", operation: "modify", path: FILE, hunks: [hunk] }, options))
        .flatMap((card) => card.rows.filter(({ type }) => type === "removed" || type === "added"));
      const marked = rows.filter((row) => "isUndone" in row && row.type !== "note");
      expect(marked).toHaveLength(alone.length);
      expect(diffCard(diff, options).rows).toEqual(
        rows.map((row) => {
          if (!("isUndone" in row)) return row;
          const { isUndone: _, ...unmarked } = row;
          return unmarked;
        }),
      );
    }),
  );
});

test("marks the count of lines that have no room when their change was put back", () => {
  const before = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join("");
  const diff = diffContent(FILE, before, `${before}${"more\n".repeat(30)}`);
  const notes = diffCard(diff, { maxLines: 5, undoneHunks: [1] }).rows.filter(({ type }) => type === "note");
  expect(notes).toEqual([{ type: "note", text: "… 25 added lines left out", added: 25, isUndone: true }]);
});
