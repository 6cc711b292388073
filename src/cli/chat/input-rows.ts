/**
 * The input as rows of a screen, and the part of the cursor's row before it. Each row fits the width; a long text shows
 * the rows around the cursor.
 */
import { visibleText } from "../../call/index.js";
import { textUnits } from "../../call/text-units.js";
import { columns } from "../../view/index.js";
import type { TextInput } from "./text-input.js";

/** `before`: the text of the row up to the cursor. */
type RowCursor = { readonly row: number; readonly before: string };

export type InputRows = { readonly rows: readonly string[]; readonly cursor: RowCursor };

const TAB = "    ";

export function inputRows(
  { text, cursor }: Pick<TextInput, "text" | "cursor">,
  { width, maxRows, prompt }: { readonly width: number; readonly maxRows: number; readonly prompt: string },
): InputRows {
  const indent = " ".repeat(columns(prompt));
  const made: string[] = [prompt];
  let place: RowCursor = { row: 0, before: prompt };
  let offset = 0;
  let filled = columns(prompt);
  const newRow = (): void => {
    made.push(indent);
    filled = columns(indent);
  };
  const last = (): string => made.at(-1) ?? "";
  const mark = (): void => {
    if (offset === cursor) place = { row: made.length - 1, before: last() };
  };
  for (const unit of textUnits(text)) {
    const shown = unit === "\t" ? TAB : visibleText(unit, { keepNewlines: true });
    const unitWidth = unit === "\n" ? 0 : columns(shown);
    // A cursor before a unit that starts a row stands in that row.
    if (filled + unitWidth > width && filled > columns(indent)) newRow();
    mark();
    offset += unit.length;
    if (unit === "\n") newRow();
    else {
      made[made.length - 1] = last() + shown;
      filled += unitWidth;
    }
  }
  if (offset === cursor && filled >= width) newRow();
  mark();
  const first = Math.max(0, Math.min(place.row - Math.floor(maxRows / 2), made.length - maxRows));
  return {
    rows: made.slice(first, first + maxRows),
    cursor: { row: place.row - first, before: place.before },
  };
}
