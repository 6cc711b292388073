/** The rows of a diff for the unified and the split view, with marks on the words that differ. */
import type { DiffRow } from "toolgate/view";
import { wordLikeness, wordMarks, type MarkedPiece } from "./word-marks.js";

export type DiffLine = {
  readonly type: "same" | "removed" | "added" | "patch";
  readonly pieces: readonly MarkedPiece[];
  readonly oldLine?: number;
  readonly newLine?: number;
  /** Its change was put back since. */
  readonly isUndone?: true;
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

/** Without the changes that were put back. */
export function changedLines(rows: readonly DiffRow[]): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const row of rows) {
    const { type, text } = row;
    if ("isUndone" in row) continue;
    if (type === "note") {
      added += row.added ?? 0;
      removed += row.removed ?? 0;
    }
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

/** Above this many pairs of lines, lines are compared one to one. */
const MAX_PAIRS = 400;

/**
 * Each removed line is compared with the added line that is most like it, in order. A line without such a partner is new
 * or gone as a whole, and is marked as a whole where its neighbours have one.
 */
function markedRun(
  removed: readonly (DiffRow & { type: "removed" })[],
  added: readonly (DiffRow & { type: "added" })[],
): readonly DiffLine[] {
  const before = new Map<number, readonly MarkedPiece[]>();
  const after = new Map<number, readonly MarkedPiece[]>();
  const isLong = removed.length * added.length > MAX_PAIRS;
  let from = 0;
  for (const [at, { text }] of removed.entries()) {
    const partner = isLong
      ? partnerOf(text, added, Math.max(at, from), at + 1)
      : partnerOf(text, added, from, added.length);
    if (partner === undefined) continue;
    const marks = wordMarks(text, added[partner]?.text ?? "");
    before.set(at, marks.before);
    after.set(partner, marks.after);
    from = partner + 1;
  }
  const alone = (text: string): readonly MarkedPiece[] =>
    before.size > 0 && text !== "" ? marked(text) : whole(text);
  return [
    ...removed.map((row, at) => line(row, before.get(at) ?? alone(row.text))),
    ...added.map((row, at) => line(row, after.get(at) ?? alone(row.text))),
  ];
}

/** The indentation is not marked. */
function marked(text: string): readonly MarkedPiece[] {
  const indent = /^\s*/.exec(text)?.[0] ?? "";
  const rest = text.slice(indent.length);
  return [
    ...(indent === "" ? [] : [{ text: indent, isMarked: false }]),
    ...(rest === "" ? [] : [{ text: rest, isMarked: true }]),
  ];
}

/** The place of the added line that is most like the text, and at least half alike. */
function partnerOf(text: string, added: readonly LineRow[], from: number, to: number): number | undefined {
  let best: number | undefined;
  let most = 0.5;
  for (let index = from; index < Math.min(to, added.length); index += 1) {
    const likeness = wordLikeness(text, added[index]?.text ?? "");
    if (likeness <= most) continue;
    best = index;
    most = likeness;
  }
  return best;
}

const whole = (text: string): readonly MarkedPiece[] => [{ text, isMarked: false }];

function line(row: LineRow, pieces: readonly MarkedPiece[]): DiffLine {
  return {
    type: row.type,
    pieces,
    ...("oldLine" in row && { oldLine: row.oldLine }),
    ...("newLine" in row && { newLine: row.newLine }),
    ...("isUndone" in row && { isUndone: true }),
  };
}
