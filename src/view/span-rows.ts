/** Breaks spans into rows that fit the width, each with its prefix: after a space where there is one, else anywhere. */
import { spansText } from "./styled-text.js";
import type { Span } from "./styled-text.js";
import { columns, unitsOf } from "./visible-line.js";
import type { Prefixes } from "./visible-line.js";

type Unit = Span & { readonly width: number };

export function spanRows(spans: readonly Span[], prefixes: Prefixes, width: number): readonly string[] {
  const made: string[] = [];
  let row: Unit[] = [];
  let filled = columns(prefixes.first);
  const endRow = (count: number): void => {
    const kept = row.slice(0, count);
    while (kept.at(-1)?.text === " ") kept.pop();
    made.push((made.length === 0 ? prefixes.first : prefixes.next) + spansText(joined(kept)));
    row = row.slice(count);
    while (row[0]?.text === " ") row.shift();
    filled = columns(prefixes.next) + row.reduce((sum, unit) => sum + unit.width, 0);
  };
  const hasRoomFor = (unitWidth: number): boolean => row.length === 0 || filled + unitWidth <= width;
  for (const { text, styles } of spans) {
    for (const unit of unitsOf(text)) {
      const unitWidth = columns(unit);
      while (!hasRoomFor(unitWidth)) endRow(breakOf(row, unit));
      if (unit === " " && row.length === 0 && made.length > 0) continue;
      row.push({ text: unit, styles, width: unitWidth });
      filled += unitWidth;
    }
  }
  if (row.length > 0 || made.length === 0) endRow(row.length);
  return made;
}

/** After the last space that is not indentation. */
function breakOf(row: readonly Unit[], next: string): number {
  if (next === " ") return row.length;
  const space = row.findLastIndex(({ text }) => text === " ");
  const isIndent = row.slice(0, Math.max(0, space)).every(({ text }) => text === " ");
  return space < 0 || isIndent ? row.length : space + 1;
}

/** Neighbours with the same styles become one span, so that the styles are written once. */
function joined(units: readonly Unit[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { text, styles } of units) {
    const last = spans.at(-1);
    if (last && last.styles === styles) spans[spans.length - 1] = { text: last.text + text, styles };
    else spans.push({ text, styles });
  }
  return spans;
}
