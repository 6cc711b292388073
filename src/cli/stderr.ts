/**
 * Notes to the user, on stderr. Both streams share one terminal: while rows are drawn there in place, they must be
 * cleared first. A note may quote foreign text, so control characters are made visible.
 */
import { visibleText } from "../call/index.js";
import { QUOTE, rows } from "../view/visible-line.js";

type Redraw = (write: () => void) => void;

let redraw: Redraw = (write) => write();

export function note(text: string): void {
  noteLine(`toolgate: ${text}`);
}

const CONTINUED = "    ";

/** Writes a line without the "toolgate: " prefix. */
export function noteLine(line: string): void {
  // Only the first line is surely our own: the others may be quoted, and are marked as quoted.
  const [first = "", ...others] = visibleText(line, { keepNewlines: true }).replace(/^\n/, "").split("\n");
  const width = process.stderr.isTTY && process.stderr.columns > 0 ? process.stderr.columns - 1 : Infinity;
  const text = [
    rows(first, { first: "", next: CONTINUED }, width),
    ...others.map((one) => rows(one, QUOTE, width)),
  ].flat();
  const start = line.startsWith("\n") ? "\n" : "";
  redraw(() => void process.stderr.write(`${start}${text.join("\n")}\n`));
}

/** Routes every write through `next`, which clears and redraws its rows. Returns the function that ends this. */
export function withRedraw(next: Redraw): () => void {
  const before = redraw;
  redraw = next;
  return () => void (redraw = before);
}
