/**
 * Words of ours to whoever started the program, on stderr. A terminal is one screen for both streams: while
 * something is drawn there in place, it must make room first. What is told may quote others: nothing in it
 * steers the terminal.
 */
import { visibleText } from "../call/index.js";

type Around = (write: () => void) => void;

let around: Around = (write) => write();

export function note(text: string): void {
  noteLine(`toolgate: ${text}`);
}

/** A line as it is, without our name before it. */
export function noteLine(line: string): void {
  around(() => void process.stderr.write(`${visibleText(line, { keepNewlines: true })}\n`));
}

/** From now on `makeRoom` is asked to do each write; returns the function that ends this. */
export function withRedraw(makeRoom: Around): () => void {
  const before = around;
  around = makeRoom;
  return () => void (around = before);
}
