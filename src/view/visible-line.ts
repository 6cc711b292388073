/**
 * Lines of untrusted text, safe to print, and broken into rows that fit the width. A line has nothing invisible, no tab,
 * and is no longer than a few rows: the middle of a very long one (a minified file) is left out, with a note of how much.
 */
import { visibleText } from "../call/index.js";
import { countOf } from "../call/amounts.js";
import { mayHaveEmojiSequence, textUnits } from "../call/text-units.js";

const MAX_LENGTH = 500;
const END = 120;
const TAB_STOP = 4;

/** Tabs become spaces up to the next stop; `tabMark` is the visible sign of a tab, if any. */
export function visibleLine(line: string, tabMark = ""): string {
  return shortened(line, (part) => withoutTabs(part, tabMark));
}

/** The same without a bound on its length. */
export function wholeLine(line: string, tabMark = ""): string {
  return withoutTabs(line, tabMark);
}

/** For a name, a path or a reason inside one of our lines: tabs and line ends are escaped. */
export function visibleName(text: string): string {
  return shortened(text, (part) => visibleText(part));
}

/** Removes colours only: all other terminal codes are escaped. */
export function withoutColours(text: string): string {
  return text.replace(COLOUR, "");
}

const COLOUR = new RegExp(String.raw`\u001B\[[\d;:]*m`, "g");

function shortened(line: string, shown: (part: string) => string): string {
  if (line.length <= MAX_LENGTH) return shown(line);
  // The line is cut before it is escaped, and never through a surrogate pair: half of one would be escaped.
  const head = line.slice(0, MAX_LENGTH - END).replace(/[\uD800-\uDBFF]$/, "");
  const tail = line.slice(-END).replace(/^[\uDC00-\uDFFF]/, "");
  const leftOut = line.length - head.length - tail.length;
  return `${shown(head)} … ${countOf(leftOut, "character")} left out … ${shown(tail)}`;
}

function withoutTabs(line: string, tabMark: string): string {
  const [first = "", ...others] = line.split("\t").map((part) => visibleText(part));
  let shown = first;
  let column = columns(first);
  for (const part of others) {
    const room = TAB_STOP - (column % TAB_STOP);
    shown += tabMark.padEnd(room) + part;
    column += room + columns(part);
  }
  return shown;
}

/**
 * Characters of two columns: the wide and fullwidth ones of Unicode, as whole blocks. A narrow character among them ends a
 * row too early; a wide one that is missing would let the terminal break the row, and the rest would start in column 0.
 */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D37F}\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** In a narrower terminal the rows of others would break, and go on in the first column. */
export const MIN_WIDTH = 20;

export type Prefixes = { readonly first: string; readonly next: string };

/** The gutters of a quoted line: a broken one where the line continues in a second row. */
export const QUOTE = { first: "    │ ", next: "    ┆ " } as const;

/**
 * Breaks a line into rows that fit the width, each with its prefix: a terminal would continue the line in its first
 * column, where only our own lines may start. Breaks after a space where there is one, else anywhere. Spaces
 * at the end of a row are dropped.
 */
export function rows(line: string, prefixes: Prefixes, width: number): readonly string[] {
  if (columns(prefixes.first) + columns(line) <= width) return [`${prefixes.first}${line}`.trimEnd()];
  const made: string[] = [];
  let row = "";
  let room = width - columns(prefixes.first);
  let breakAt = 0;
  const endRow = (end: number): void => {
    made.push(`${made.length === 0 ? prefixes.first : prefixes.next}${row.slice(0, end)}`.trimEnd());
    row = row.slice(end);
    room = width - columns(prefixes.next) - columns(row);
    breakAt = 0;
  };
  const fitsNext = (rest: string): boolean => columns(prefixes.next) + columns(rest) + 2 <= width;
  for (const unit of unitsOf(line)) {
    const unitWidth = columns(unit);
    if (unitWidth > room && row !== "") {
      endRow(unit !== " " && breakAt > 0 && fitsNext(row.slice(breakAt)) ? breakAt : row.length);
    }
    if (unit === " " && row === "" && made.length > 0) continue;
    row += unit;
    room -= unitWidth;
    // Not in the indentation, which would make an empty row.
    if (unit === " " && row.trimStart() !== "") breakAt = row.length;
  }
  if (row !== "" || made.length === 0) endRow(row.length);
  return made;
}

/** The beginning of a line that is longer than the width, with a sign that it continues. */
export function clipped(line: string, width: number): string {
  if (columns(line) <= width) return line;
  let kept = "";
  let room = width - 1;
  for (const unit of unitsOf(line)) {
    room -= columns(unit);
    if (room < 0) break;
    kept += unit;
  }
  return `${kept}…`;
}

/** Most texts: ASCII, Latin letters, and the arrows, lines and signs of our own rows. None of them joins another. */
const NARROW = /^[ -~\u00A1-\u02FF\u2010-\u2027\u2190-\u22FF\u2500-\u259F⌕⌫►○●◎⚑✎✓✗❯]*$/;

export function columns(text: string): number {
  if (NARROW.test(text)) return text.length;
  let count = 0;
  for (const unit of unitsOf(text)) count += unitColumns(unit);
  return count;
}

export const unitsOf = (text: string): readonly string[] => textUnits(text);

/**
 * Terminals draw an emoji of several characters in two columns, or each of its characters beside the other. The larger
 * number counts: a row that is too short is not broken.
 */
function unitColumns(unit: string): number {
  if (unit.length === 1) return WIDE.test(unit) ? 2 : 1;
  const isSequence = mayHaveEmojiSequence(unit);
  let count = 0;
  for (const character of unit)
    if (!(isSequence ? JOIN : MARK).test(character)) count += WIDE.test(character) ? 2 : 1;
  return Math.max(isSequence ? 2 : 1, count);
}

/**
 * Marks that every terminal draws over the character before. Others take a cell of their own: those with a width
 * (the vowel signs of Indian scripts), and in terminals with older tables those that came after Unicode 6.
 */
const MARK =
  // oxlint-disable-next-line no-misleading-character-class -- marks are what it looks for
  /^(?=[\p{Mn}\p{Me}])[\u0300-\u0486\u0488-\u0615\u064B-\u065E\u0670-\u07F3\u0901\u0902\u093C-\u0954\u0962-\u09E3\u0A01-\u0A4D\u0A70\u0A71\u0A81-\u0AE3\u0B01-\u0B43\u0B4D\u0B56\u0B82-\u0BCD\u0C3E-\u0C56\u0CBC-\u0CE3\u0D41-\u0D43\u0D4D\u0DCA-\u0EB9\u0EBB-\u0ECD\u0F18-\u0F87\u0F90-\u1032\u1036-\u1039\u1058\u1059\u135F-\u17DD\u18A9-\u1A18\u1B00-\u1B73\u1DC0-\u1DCA\u20D0-\u20EF\u302A-\u309A\uFB1E-\uFE23]$/u;

// oxlint-disable-next-line no-misleading-character-class -- parts of emoji are what it looks for
const JOIN = /^[\u200D\uFE0F\u20E3\u{E0020}-\u{E007F}]$/u;
