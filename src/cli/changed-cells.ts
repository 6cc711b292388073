/**
 * What to write so that a row of the screen shows another text: the cells that differ. The cursor is in the row before
 * and after; its column is not kept.
 *
 * Terminals disagree about the width of some characters, so a column is computed only from characters about which they
 * agree. A row whose styles are not all known is written again as a whole.
 */
import { textUnits } from "../call/text-units.js";

const ESCAPE = "\u001B";
const STYLE = new RegExp(String.raw`${ESCAPE}\[([\d;]*)m`);
const TO_LINE_END = `${ESCAPE}[K`;

/** A character, and the numbers of the styles it has. */
type Cell = { readonly text: string; readonly styles: string };

export function changedCells(before: string, after: string): string {
  if (before === after) return "";
  const [old, next] = [cellsOf(before), cellsOf(after)];
  if (!old || !next) return `\r${after}${TO_LINE_END}`;
  const from = firstDifference(old, next);
  const isInPlace = old.length === next.length && [...old, ...next].every(isOneColumn);
  const to = isInPlace ? lastDifference(old, next) + 1 : next.length;
  const isLonger = old.every(isOneColumn) && next.every(isOneColumn) && next.length >= old.length;
  const end = isInPlace || isLonger ? "" : TO_LINE_END;
  return toColumn(from) + written(next.slice(from, to)) + end;
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
  return cells.reduce((sum, cell) => sum + (isOneColumn(cell) ? 1 : 2 * [...cell.text].length), 0);
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

/** Which styles each number ends. */
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

/** Latin letters, lines, blocks and the dots of our spinner. */
const ONE_COLUMN = /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF\u2026\u2190-\u2193\u2500-\u259F\u2800-\u28FF]$/;

const isOneColumn = ({ text }: Cell): boolean => ONE_COLUMN.test(text);

const isSame = (one: Cell | undefined, other: Cell | undefined): boolean =>
  one?.text === other?.text && one?.styles === other?.styles;

/** The column of the first cell that differs, or of one before it: all cells before it are one column wide. */
function firstDifference(old: readonly Cell[], next: readonly Cell[]): number {
  let at = 0;
  for (;;) {
    const [one, other] = [old[at], next[at]];
    if (!one || !other || !isSame(one, other) || !isOneColumn(one)) return at;
    at += 1;
  }
}

/** Of rows with as many cells. */
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
