/** A Markdown table with aligned columns. Undefined where it does not fit the width: then its lines stay as they are. */
import { inlineSpans } from "./markdown-line.js";
import { spansText, styled, styledColumns } from "./styled-text.js";
import { columns } from "./visible-line.js";

const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

export function tableRows(
  lines: readonly string[],
  width: number,
  prefix: string,
): readonly string[] | undefined {
  if (!RULE.test(lines[1] ?? "")) return undefined;
  const cells = lines
    .filter((_, index) => index !== 1)
    .map((line, row) => cellsOf(line).map((cell) => spansText(inlineSpans(cell, row === 0 ? ["bold"] : []))));
  const count = Math.max(...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...cells.map((row) => styledColumns(row[column] ?? ""))),
  );
  const total = columns(prefix) + widths.reduce((sum, one) => sum + one + 3, 0);
  if (total > width) return undefined;
  const rule = styled(widths.map((one) => "─".repeat(one)).join("─┼─"), "dim");
  const rows = cells.map((row) =>
    widths
      .map((one, column) => {
        const cell = row[column] ?? "";
        return cell + " ".repeat(one - styledColumns(cell));
      })
      .join(styled(" │ ", "dim"))
      .trimEnd(),
  );
  return [rows[0] ?? "", rule, ...rows.slice(1)].map((row) => prefix + row);
}

const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
