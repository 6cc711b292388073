/**
 * Breaks a line into rows that fit the width, each with its prefix. A terminal would continue the line in its
 * first column, where only our own lines may start.
 */

/** A character with its combining marks, which must not be separated. */
const UNIT = /\P{M}\p{M}*|\p{M}+/gu;

const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;

export type Prefixes = { readonly first: string; readonly next: string };

/** Breaks after a space where there is one, else anywhere. Spaces at the end of a row are dropped. */
export function rows(line: string, prefixes: Prefixes, width: number): readonly string[] {
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

export function columns(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let count = 0;
  for (const unit of unitsOf(text)) count += WIDE.test(unit) ? 2 : 1;
  return count;
}

function unitsOf(text: string): readonly string[] {
  return text.match(UNIT) ?? [];
}
