/**
 * Text with our own colours and weights. Styles are added after all foreign text was made visible, so every escape
 * sequence in it is ours. Widths count without them.
 */
import { clipped, columns, unitsOf } from "./visible-line.js";

const ESCAPE = "\u001B";
const CODE = new RegExp(String.raw`\u001B\[[\d;]*m`, "g");

const CODES = {
  bold: ["1", "22"],
  dim: ["2", "22"],
  italic: ["3", "23"],
  underline: ["4", "24"],
  inverse: ["7", "27"],
  red: ["31", "39"],
  green: ["32", "39"],
  yellow: ["33", "39"],
  blue: ["34", "39"],
  magenta: ["35", "39"],
  cyan: ["36", "39"],
} as const;

export type Style = keyof typeof CODES;

export function styled(text: string, ...styles: readonly Style[]): string {
  if (text === "") return "";
  const start = styles.map((style) => `${ESCAPE}[${CODES[style][0]}m`).join("");
  const end = styles.map((style) => `${ESCAPE}[${CODES[style][1]}m`).join("");
  return start + text + end;
}

export const withoutStyles = (text: string): string =>
  text.includes(ESCAPE) ? text.replace(CODE, "") : text;

export const styledColumns = (text: string): number => columns(withoutStyles(text));

/** The beginning of a row that is longer than the width; all its styles end with it. */
export function styledClip(row: string, width: number): string {
  if (!row.includes(ESCAPE)) return clipped(row, width);
  if (styledColumns(row) <= width) return row;
  let kept = "";
  let room = width - 1;
  for (const part of row.split(new RegExp(`(${CODE.source})`))) {
    if (part.startsWith(ESCAPE)) {
      kept += part;
      continue;
    }
    if (room <= 0) continue;
    for (const unit of unitsOf(part)) {
      room -= columns(unit);
      if (room < 0) break;
      kept += unit;
    }
  }
  return `${kept}…`;
}

/** A run of text in one combination of styles. */
export type Span = { readonly text: string; readonly styles: readonly Style[] };

export const spansText = (spans: readonly Span[]): string =>
  spans.map(({ text, styles }) => styled(text, ...styles)).join("");
