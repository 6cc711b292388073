/**
 * A few rows at the end of a terminal that are drawn again in place, below text that stays.
 *
 * What must stay true: text that stays is written once, whole, and above the rows; a row takes one row of the
 * screen, also after the terminal was made narrower; everything between two moments is one write, so that
 * nothing flickers and nobody else's text gets in between. Whoever presses Enter meanwhile moves the cursor, which
 * nobody is told of: so the place of the first row is saved in the terminal, and some empty rows are kept below the
 * last one, for the cursor to move in without anything being scrolled.
 */
import { columns, clipped } from "../view/index.js";

/** The part of a terminal's stream that is used here. */
export type BlockTerminal = {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
};

const UP = (rows: number): string => (rows === 0 ? "\r" : `\u001b[${rows}A\r`);
const DOWN = (rows: number): string => `\u001b[${rows}B`;
const [SAVE, RESTORE] = ["\u001b7", "\u001b8"];
const TO_LINE_END = "\u001b[K";
const TO_SCREEN_END = "\u001b[J";
const [WIDTH, HEIGHT] = [80, 24];
/** Rows that are kept empty: a key that is held down repeats some thirty times a second. */
const SPARE = 5;

export class LiveBlock {
  readonly #terminal: BlockTerminal;
  readonly #coloured: (text: string) => string;
  /** What is on the screen below the text that stays. */
  #drawn: readonly string[] = [];
  /** What was asked to be there. */
  #rows: readonly string[] = [];
  /** The beginning of a line of the text that stays, shown above the rows until the rest of it comes. */
  #open = "";
  #isAtLineStart = true;
  /** The size of the terminal when it was drawn on last: a place that was saved counts only as long as it stays. */
  #size = "";

  constructor(terminal: BlockTerminal, coloured: (text: string) => string) {
    this.#terminal = terminal;
    this.#coloured = coloured;
  }

  /** The widest that a row can be: a terminal goes on in the next row when the last column is filled. */
  get width(): number {
    return Math.max(1, (this.#terminal.columns ?? WIDTH) - 1);
  }

  /** The most rows that can be drawn again: what has left the screen above cannot be reached. */
  get height(): number {
    return Math.max(1, (this.#terminal.rows ?? HEIGHT) - 3);
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Text that stays. */
  print(text: string): void {
    if (this.isEmpty) return this.#writeNow(text);
    const all = this.#open + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#open = all.slice(end);
    this.#redraw(all.slice(0, end));
  }

  /** These rows and no others; without any, the text that stays goes on where it was. */
  draw(rows: readonly string[]): void {
    this.#rows = rows;
    const open = this.isEmpty ? this.#open : "";
    if (this.isEmpty) this.#open = "";
    this.#redraw(open);
  }

  /** Lets someone else write to the screen. */
  around(write: () => void): void {
    if (this.isEmpty) return write();
    this.#terminal.write(this.#erasing());
    this.#drawn = [];
    write();
    this.#redraw("");
  }

  #redraw(text: string): void {
    const width = this.width;
    const openRows = this.#open === "" ? [] : [this.#open];
    const wanted = this.isEmpty ? [] : [...openRows, ...this.#rows];
    const next = wanted.map((row) => clipped(row, width));
    if (text === "" && next.length === 0 && this.#drawn.length === 0) return;
    // A line that someone began to write stays whole above the rows.
    const lineEnd = next.length > 0 && this.#drawn.length === 0 && !this.#isAtLineStart ? "\n" : "";
    // Rows are written over, which does not flicker; below text that stays nothing may be left of them.
    const shown = text === "" ? "" : TO_SCREEN_END + this.#coloured(text);
    const rows = next.map((row) => `${this.#coloured(row)}${TO_LINE_END}\n`).join("");
    const first = this.#drawn.length === 0 ? "" : this.#toFirstRow();
    this.#terminal.write(first + lineEnd + shown + rows + TO_SCREEN_END + this.#keepPlace(next.length));
    this.#drawn = next;
    this.#size = this.#sizeNow;
    if (text !== "") this.#isAtLineStart = text.endsWith("\n");
    else if (next.length > 0) this.#isAtLineStart = true;
  }

  #writeNow(text: string): void {
    if (text === "") return;
    this.#isAtLineStart = text.endsWith("\n");
    this.#terminal.write(this.#coloured(text));
  }

  #erasing(): string {
    return this.#drawn.length === 0 ? "" : this.#toFirstRow() + TO_SCREEN_END;
  }

  /** From below so many rows, and back there. */
  #keepPlace(rows: number): string {
    if (rows === 0) return "";
    const spare = Math.max(0, Math.min(SPARE, (this.#terminal.rows ?? HEIGHT) - rows - 1));
    return "\n".repeat(spare) + UP(rows + spare) + SAVE + DOWN(rows);
  }

  #toFirstRow(): string {
    return this.#size === this.#sizeNow ? RESTORE : UP(this.#height());
  }

  get #sizeNow(): string {
    return `${this.#terminal.columns ?? WIDTH} ${this.#terminal.rows ?? HEIGHT}`;
  }

  /** Rows of the screen that are drawn on now: what was drawn for a wider terminal has been folded by it. */
  #height(): number {
    const width = this.#terminal.columns ?? WIDTH;
    return this.#drawn.reduce((sum, row) => sum + Math.max(1, Math.ceil(columns(row) / width)), 0);
  }
}
