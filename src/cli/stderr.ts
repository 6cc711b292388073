/**
 * Notes to the user, on stderr. Both streams share one terminal: while rows are drawn there in place, they must be
 * cleared first. A note may quote foreign text, so control characters are made visible.
 */
import { visibleText } from "../call/index.js";

type Redraw = (write: () => void) => void;

let redraw: Redraw = (write) => write();

export function note(text: string): void {
  noteLine(`toolgate: ${text}`);
}

/** Writes a line without the "toolgate: " prefix. */
export function noteLine(line: string): void {
  redraw(() => void process.stderr.write(`${visibleText(line, { keepNewlines: true })}\n`));
}

/** Routes every write through `next`, which clears and redraws its rows. Returns the function that ends this. */
export function withRedraw(next: Redraw): () => void {
  const before = redraw;
  redraw = next;
  return () => void (redraw = before);
}
