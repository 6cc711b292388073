/** Syntax colours of a diff. Both sides are coloured as texts of their own, then each row takes its line. */
import type { DiffRow } from "toolgate/view";
import type { ColouredLine } from "./highlight.js";
import type { MarkedPiece } from "./word-marks.js";

type LineRow = Exclude<DiffRow, { type: "note" }>;
export type DiffSide = "old" | "new";

/** The text of one side. A gap between two hunks is an empty line. */
export const sideText = (rows: readonly DiffRow[], side: DiffSide): string =>
  rows.flatMap((row) => (row.type === "note" ? [""] : isOn(row, side) ? [row.text] : [])).join("\n");

const isOn = ({ type }: LineRow, side: DiffSide): boolean =>
  type === "same" || (side === "old" ? type === "removed" : type === "added");

/** The file's name ends with its language: "edit src/total.js". */
export const languageOf = (heading: string): string => /\.(\w{1,10})"?$/.exec(heading)?.[1] ?? "";

/** The coloured lines of one side by the numbers that its rows have. */
export function linesByNumber(
  rows: readonly DiffRow[],
  side: DiffSide,
  coloured: readonly ColouredLine[],
): ReadonlyMap<number, ColouredLine> {
  const lines = new Map<number, ColouredLine>();
  let at = 0;
  for (const row of rows) {
    if (row.type !== "note" && !isOn(row, side)) continue;
    const number = numberOn(row, side);
    const line = coloured[at];
    if (number !== undefined && line) lines.set(number, line);
    at += 1;
  }
  return lines;
}

function numberOn(row: DiffRow, side: DiffSide): number | undefined {
  if (side === "old") return "oldLine" in row ? row.oldLine : undefined;
  return "newLine" in row ? row.newLine : undefined;
}

export type ColouredPiece = MarkedPiece & { readonly className: string };

/** The pieces cut where the colour changes. A marked piece stays as it is: its ground is colour enough. */
export function colouredPieces(
  pieces: readonly MarkedPiece[],
  line: ColouredLine | undefined,
): readonly ColouredPiece[] {
  const plain = pieces.map((piece) => ({ ...piece, className: "" }));
  // A line that reads otherwise is another line.
  if (!line || textOf(line) !== textOf(pieces)) return plain;
  const made: ColouredPiece[] = [];
  const spans = line.map(({ text, className }) => ({ text, className }));
  for (const { text, isMarked } of pieces) {
    if (isMarked) made.push({ text, isMarked, className: "" });
    for (let left = text.length; left > 0;) {
      const span = spans[0];
      if (!span) return plain;
      const taken = span.text.slice(0, left);
      if (!isMarked) made.push({ text: taken, isMarked, className: span.className });
      left -= taken.length;
      span.text = span.text.slice(taken.length);
      if (span.text === "") spans.shift();
    }
  }
  return made;
}

const textOf = (pieces: readonly { readonly text: string }[]): string =>
  pieces.map(({ text }) => text).join("");
