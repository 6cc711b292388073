/**
 * A Markdown table with aligned columns. Where it does not fit the width, the widest columns are made narrower and their
 * cells broken into rows. Undefined where even that does not fit: then its lines stay as they are.
 */
import { inlineSpans } from "./markdown-line.js";
import { spanRows } from "./span-rows.js";
import { styled, styledColumns } from "./styled-text.js";
import type { Span } from "./styled-text.js";
import { columns } from "./visible-line.js";

const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const NO_PREFIX = { first: "", next: "" };
const GAP = 3;
/** Narrower columns than this are harder to read than the lines of the table. */
const MIN_COLUMN = 6;

export function tableRows(
  lines: readonly string[],
  width: number,
  prefix: string,
): readonly string[] | undefined {
  if (!RULE.test(lines[1] ?? "")) return undefined;
  const cells = lines
    .filter((_, index) => index !== 1)
    .map((line, row) => cellsOf(line).map((cell) => inlineSpans(cell, row === 0 ? ["bold"] : [])));
  const count = Math.max(...cells.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...cells.map((row) => widthOf(row[column] ?? []))),
  );
  const widths = narrowed(natural, width - columns(prefix) - count * GAP);
  if (!widths) return undefined;
  const rule = styled(widths.map((one) => "─".repeat(one)).join("─┼─"), "dim");
  const [head = [], ...rows] = cells.map((row) => rowLines(row, widths));
  return [...head, rule, ...rows.flat()].map((row) => prefix + row);
}

const widthOf = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + columns(text), 0);

/** The widest column gives way first. */
function narrowed(natural: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...natural];
  for (let over = sumOf(widths) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= MIN_COLUMN) return undefined;
    widths[widest] = width - 1;
  }
  return widths;
}

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one, 0);

function rowLines(row: readonly (readonly Span[])[], widths: readonly number[]): readonly string[] {
  const broken = widths.map((width, column) => spanRows(row[column] ?? [], NO_PREFIX, Math.max(1, width)));
  const height = Math.max(...broken.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => {
        const cell = broken[column]?.[line] ?? "";
        return cell + " ".repeat(Math.max(0, width - styledColumns(cell)));
      })
      .join(styled(" │ ", "dim"))
      .trimEnd(),
  );
}

const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
