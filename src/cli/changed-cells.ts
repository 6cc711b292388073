/**
 * The writes that make a row of the screen show another text: the cells that differ. The cursor is in the row before
 * and after; its column is not kept.
 *
 * Terminals disagree about the width of some characters, so a column is computed only from characters about which they
 * agree. Other rows, rows that get shorter, and rows whose styles are not all known are written again as a whole.
 */
import { textUnits } from "../call/text-units.js";

const ESCAPE = "\u001B";
const STYLE = new RegExp(String.raw`${ESCAPE}\[([\d;]*)m`);
/** Clears the row. One whose end alone was cleared keeps its old length in tmux, which then breaks it when it is narrowed. */
export const CLEAR_ROW = `\r${ESCAPE}[2K`;

/** A character, and the numbers of the styles it has. */
type Cell = { readonly text: string; readonly styles: string };

export function changedCells(before: string, after: string): string {
  if (before === after) return "";
  const [old, next] = [cellsOf(before), cellsOf(after)];
  // A longer row covers the old one.
  const covers = next && old && next.length >= old.length && [...old, ...next].every(isOneColumn);
  if (!covers) return CLEAR_ROW + after;
  const from = firstDifference(old, next);
  const to = old.length === next.length ? lastDifference(old, next) + 1 : next.length;
  return toColumn(from) + written(next.slice(from, to));
}

/** Moves the cursor behind this text of its row. */
export function toCellAfter(text: string): string {
  const cells = cellsOf(text);
  return cells?.every(isOneColumn) ? toColumn(cells.length) : `\r${text}`;
}

/** The number of columns that the text takes at most, in any terminal. Infinite where that is not known. */
export function maxColumns(text: string): number {
  const cells = cellsOf(text);
  if (!cells) return Infinity;
  return cells.reduce((sum, cell) => sum + (isOneColumn(cell) ? 1 : 2 * cell.text.length), 0);
}

/** Undefined where the text has a style or a control character that is not known here, or leaves a style open. */
function cellsOf(row: string): readonly Cell[] | undefined {
  const cells: Cell[] = [];
  let styles: readonly number[] = [];
  for (const [at, part] of row.split(STYLE).entries()) {
    if (at % 2 === 0) {
      if (CONTROL.test(part)) return undefined;
      const open = styles.join(";");
      for (const text of ASCII.test(part) ? part : textUnits(part)) cells.push({ text, styles: open });
    } else {
      const next = stylesAfter(styles, part);
      if (!next) return undefined;
      styles = next;
    }
  }
  return styles.length === 0 ? cells : undefined;
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F-\u009F]/;
const ASCII = /^[ -~]*$/;

/** The styles that each SGR code ends. */
const ENDS = new Map<number, readonly number[]>([
  [22, [1, 2]],
  [23, [3]],
  [24, [4]],
  [27, [7]],
  [39, [30, 31, 32, 33, 34, 35, 36, 37]],
]);
const STARTS: ReadonlySet<number> = new Set([...ENDS.values()].flat());
const COLOURS: ReadonlySet<number> = new Set(ENDS.get(39));

function stylesAfter(styles: readonly number[], numbers: string): readonly number[] | undefined {
  let open = styles;
  for (const number of numbers.split(";").map(Number)) {
    const ended = ENDS.get(number);
    if (number === 0) open = [];
    else if (ended) open = open.filter((one) => !ended.includes(one));
    else if (!STARTS.has(number)) return undefined;
    else
      open = [...open.filter((one) => one !== number && !(COLOURS.has(one) && COLOURS.has(number))), number];
  }
  return open;
}

/** Latin letters, lines, blocks, the dots of our spinner and the signs of calls. */
const ONE_COLUMN =
  /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF\u2026\u2190-\u2193\u2500-\u259F\u2800-\u28FF❯✎≡⌕∴]$/;

const isOneColumn = ({ text }: Cell): boolean => ONE_COLUMN.test(text);

const isSame = (one: Cell | undefined, other: Cell | undefined): boolean =>
  one?.text === other?.text && one?.styles === other?.styles;

function firstDifference(old: readonly Cell[], next: readonly Cell[]): number {
  let at = 0;
  while (at < old.length && isSame(old[at], next[at])) at += 1;
  return at;
}

/** Both rows have as many cells. */
function lastDifference(old: readonly Cell[], next: readonly Cell[]): number {
  let at = next.length - 1;
  while (at > 0 && isSame(old[at], next[at])) at -= 1;
  return at;
}

function written(cells: readonly Cell[]): string {
  let text = "";
  let open = "";
  for (const cell of cells) {
    if (cell.styles !== open) {
      const reset = open === "" ? "" : "0;";
      text += `${ESCAPE}[${cell.styles === "" ? "" : reset + cell.styles}m`;
      open = cell.styles;
    }
    text += cell.text;
  }
  return open === "" ? text : `${text}${ESCAPE}[m`;
}

const toColumn = (column: number): string => (column === 0 ? "\r" : `${ESCAPE}[${column + 1}G`);
