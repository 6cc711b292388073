/**
 * An agent's Markdown as it arrives, as rows for a terminal with styles. A line that has ended becomes rows that are
 * printed once; the line that is still open, and a table whose end has not come, are rows that the caller redraws.
 *
 * Invariants, as for `Gutter`: each row begins with a mark and fits the width; no control character of the agent passes.
 */
import { codeSpans } from "./code-spans.js";
import { GUTTER } from "./gutter.js";
import { markdownLine } from "./markdown-line.js";
import { spanRows } from "./span-rows.js";
import { tableRows } from "./table-rows.js";
import { wholeLine } from "./visible-line.js";

/** A narrower terminal than this breaks rows itself. */
const MIN_WIDTH = 12;
/** A longer line is printed in parts, so that the redrawn rows stay few. */
const MAX_LINE = 4_000;

type Fence = { readonly marks: string; readonly language: string };

export class MarkdownStream {
  readonly #width: () => number;
  #line = "";
  #fence: Fence | undefined;
  #table: string[] = [];

  constructor(width: () => number) {
    this.#width = width;
  }

  /** Takes a piece of text, which may begin and end anywhere, and returns the rows that are final. */
  write(text: string): readonly string[] {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    const rows = lines.flatMap((line) => this.#ended(line.replace(/\r$/, "")));
    if (this.#line.length <= MAX_LINE) return rows;
    const part = this.#line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, "");
    this.#line = this.#line.slice(part.length);
    return [...rows, ...this.#ended(part)];
  }

  /** The rows that may still change. */
  tail(): readonly string[] {
    const open = this.#line === "" ? [] : this.#rowsOf(this.#line, this.#fence);
    return [...this.#tableRows(), ...open];
  }

  /** Ends the message, and returns its last rows. */
  end(): readonly string[] {
    const rows = this.tail();
    this.#line = "";
    this.#fence = undefined;
    this.#table = [];
    return rows;
  }

  #ended(line: string): readonly string[] {
    if (!this.#fence && isTableLine(line)) {
      this.#table.push(line);
      return [];
    }
    const table = this.#tableRows();
    this.#table = [];
    const rows = this.#rowsOf(line, this.#fence);
    this.#fence = fenceAfter(line, this.#fence);
    return [...table, ...rows];
  }

  #rowsOf(line: string, fence: Fence | undefined): readonly string[] {
    const width = Math.max(MIN_WIDTH, this.#width());
    const text = wholeLine(line);
    if (text.trim() === "") return [GUTTER.first.trimEnd()];
    const { first, next } = GUTTER;
    if (fence && closes(line, fence)) return [];
    if (fence)
      return spanRows(codeSpans(text, fence.language), { first: `${first}  `, next: `${next}  ` }, width);
    const opened = fenceAfter(line, undefined);
    if (opened)
      return spanRows(
        [{ text: opened.language === "" ? "code" : wholeLine(opened.language), styles: ["dim"] }],
        { first: `${first}  `, next },
        width,
      );
    const { spans, indent } = markdownLine(text);
    // An indentation that leaves no room is dropped.
    const hanging = indent.length > width / 2 ? "" : indent;
    return spanRows(spans, { first, next: next + hanging }, width);
  }

  #tableRows(): readonly string[] {
    if (this.#table.length === 0) return [];
    const width = Math.max(MIN_WIDTH, this.#width());
    const lines = this.#table.map((line) => wholeLine(line));
    return (
      tableRows(lines, width, GUTTER.first) ??
      lines.flatMap((line) => spanRows([{ text: line, styles: [] }], GUTTER, width))
    );
  }
}

const isTableLine = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line);

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/;

const closes = (line: string, { marks }: Fence): boolean => {
  const end = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return end !== undefined && end.startsWith(marks);
};

function fenceAfter(line: string, fence: Fence | undefined): Fence | undefined {
  if (fence) return closes(line, fence) ? undefined : fence;
  const [, marks, language = ""] = FENCE.exec(line) ?? [];
  return marks === undefined ? undefined : { marks, language };
}
