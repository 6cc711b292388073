/** The rows of a diff for the unified and the split view, with marks on the words that differ. */
import type { DiffRow } from "toolgate/view";
import { wordMarks, type MarkedPiece } from "./word-marks.js";

export type DiffLine = {
  readonly type: "same" | "removed" | "added" | "patch";
  readonly pieces: readonly MarkedPiece[];
  readonly oldLine?: number;
  readonly newLine?: number;
};

export type UnifiedRow = DiffLine | { readonly type: "note"; readonly text: string };

/** One row of the split view: the old line left, the new one right. */
export type SplitRow =
  | { readonly type: "lines"; readonly left: DiffLine | undefined; readonly right: DiffLine | undefined }
  | { readonly type: "note"; readonly text: string };

type LineRow = Exclude<DiffRow, { type: "note" }>;

/** A removed run that an added run follows is compared with it word by word. */
export function unifiedRows(rows: readonly DiffRow[]): readonly UnifiedRow[] {
  const made: UnifiedRow[] = [];
  for (let index = 0; index < rows.length;) {
    const removed = run(rows, index, "removed");
    const added = run(rows, index + removed.length, "added");
    if (removed.length > 0 && added.length > 0) {
      made.push(...markedRun(removed, added));
      index += removed.length + added.length;
      continue;
    }
    const row = rows[index];
    if (row) made.push(row.type === "note" ? row : line(row, whole(row.text)));
    index += 1;
  }
  return made;
}

export function splitRows(rows: readonly DiffRow[]): readonly SplitRow[] {
  const made: SplitRow[] = [];
  const left: DiffLine[] = [];
  const right: DiffLine[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1)
      made.push({ type: "lines", left: left[index], right: right[index] });
    left.length = 0;
    right.length = 0;
  };
  for (const row of unifiedRows(rows)) {
    if (row.type === "removed") left.push(row);
    else if (row.type === "added") right.push(row);
    else {
      flush();
      made.push(row.type === "note" ? row : { type: "lines", left: row, right: row });
    }
  }
  flush();
  return made;
}

export function changedLines(rows: readonly DiffRow[]): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { type, text } of rows) {
    if (type === "added" || (type === "patch" && /^\+(?!\+\+ )/.test(text))) added += 1;
    if (type === "removed" || (type === "patch" && /^-(?!-- )/.test(text))) removed += 1;
  }
  return { added, removed };
}

function run<Type extends "removed" | "added">(rows: readonly DiffRow[], from: number, type: Type) {
  const found: (DiffRow & { type: Type })[] = [];
  for (let index = from; rows[index]?.type === type; index += 1)
    found.push(rows[index] as DiffRow & { type: Type }); // The loop's condition has compared the type.
  return found;
}

const joined = (rows: readonly LineRow[]): string => rows.map((row) => row.text).join("\n");

/** Both runs are compared as whole texts, so that a line split into two is seen as such. */
function markedRun(
  removed: readonly (DiffRow & { type: "removed" })[],
  added: readonly (DiffRow & { type: "added" })[],
): readonly DiffLine[] {
  const { before, after } = wordMarks(joined(removed), joined(added));
  const old = byLine(before);
  const now = byLine(after);
  return [
    ...removed.map((row, index) => line(row, old[index] ?? [])),
    ...added.map((row, index) => line(row, now[index] ?? [])),
  ];
}

function byLine(pieces: readonly MarkedPiece[]): readonly (readonly MarkedPiece[])[] {
  const lines: MarkedPiece[][] = [[]];
  for (const { text, isMarked } of pieces) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, isMarked });
    }
  }
  return lines;
}

const whole = (text: string): readonly MarkedPiece[] => [{ text, isMarked: false }];

function line(row: LineRow, pieces: readonly MarkedPiece[]): DiffLine {
  return {
    type: row.type,
    pieces,
    ...("oldLine" in row && { oldLine: row.oldLine }),
    ...("newLine" in row && { newLine: row.newLine }),
  };
}
