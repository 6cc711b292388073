/**
 * The writes that make the drawn rows of the screen show others. Rows that stay are not
 * written: where rows come or go between them, the terminal moves them.
 */
import { changedCells } from "./changed-cells.js";

const ESCAPE = "\u001B";

/** `text` leaves the cursor in the row `at` of the new rows. */
export type RowsUpdate = { readonly text: string; readonly at: number };

/** `at`: the row of the old ones in which the cursor is. There are some old rows and some new ones, and all fit the screen. */
export function rowsUpdate(before: readonly string[], after: readonly string[], at: number): RowsUpdate {
  const shortest = Math.min(before.length, after.length);
  let above = 0;
  while (above < shortest && before[above] === after[above]) above += 1;
  let below = 0;
  while (below < shortest - above && before.at(-1 - below) === after.at(-1 - below)) below += 1;
  const moved = moveBelow(before.length, below, after.length - before.length, at);
  const onScreen = before.slice(0, before.length - below);
  let { text } = moved;
  let row = moved.at;
  for (let next = above; next < after.length - below; next += 1) {
    const cells = changedCells(onScreen[next] ?? "", after[next] ?? "");
    if (cells === "") continue;
    text += toRow(row, next) + cells;
    row = next;
  }
  return { text, at: row };
}

/** Moves the last `below` rows of `count` rows by as many rows as `by` says, up or down. */
function moveBelow(count: number, below: number, by: number, at: number): RowsUpdate {
  const place = count - below;
  if (by === 0) return { text: "", at };
  if (by < 0) return { text: `${toRow(at, place + by)}\r${ESCAPE}[${-by}M`, at: place + by };
  // Line ends make room at the end of the screen, and scroll where there is none.
  const room = toRow(at, count - 1) + "\n".repeat(by);
  if (below === 0) return { text: room, at: count - 1 + by };
  return { text: `${room}${toRow(count - 1 + by, place)}\r${ESCAPE}[${by}L`, at: place };
}

export const toRow = (from: number, to: number): string => {
  if (from === to) return "";
  return from > to ? `${ESCAPE}[${from - to}A` : `${ESCAPE}[${to - from}B`;
};
