/** Marks the rows of a diff that show changes which were put back since. */
import type { DiffHunk } from "../call/index.js";
import type { DiffRow } from "./diff-card.js";

/** `numbers` count the hunks from 1. A note belongs to the change above it when it stands for lines of that change. */
export function withUndone(
  rows: readonly DiffRow[],
  hunks: readonly DiffHunk[],
  numbers: readonly number[],
): readonly DiffRow[] {
  const undone = numbers.flatMap((number) => hunks[number - 1] ?? []).map(linesOfHunk);
  let isInUndone = false;
  return rows.map((row) => {
    if (row.type === "same" || row.type === "patch") return row;
    if (row.type === "removed")
      isInUndone = undone.some(({ old }) => old.from <= row.oldLine && row.oldLine < old.to);
    if (row.type === "added")
      isInUndone = undone.some(({ now }) => now.from <= row.newLine && row.newLine < now.to);
    return isInUndone && isOfOneChange(row) ? { ...row, isUndone: true as const } : row;
  });
}

/** A note counts unchanged lines, one side of a change, or both sides of all changes that have no room. */
const isOfOneChange = (row: DiffRow): boolean =>
  row.type !== "note" || (row.removed === undefined) !== (row.added === undefined);

const linesOfHunk = ({ oldLine, newLine, oldText, newText }: DiffHunk) => ({
  old: { from: oldLine, to: oldLine + lineCount(oldText) },
  now: { from: newLine, to: newLine + lineCount(newText) },
});

const lineCount = (text: string): number => text.match(/[^\n]*\n|[^\n]+$/g)?.length ?? 0;
