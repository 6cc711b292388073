/**
 * A few rows at the end of a terminal that are redrawn in place, below permanent text.
 *
 * Invariants: permanent text is written once, whole, and above the rows; a row takes one row of the screen, also after
 * the terminal was made narrower; each update is one write, so that nothing flickers and no other text gets in between.
 * A user who presses Enter meanwhile moves the cursor without our notice: so the terminal saves the position of the
 * first row, and some empty rows stay below the last one, where the cursor can move without scrolling.
 */
import { columns, clipped } from "../view/index.js";

/** The used part of a terminal's stream. */
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
/** Empty rows below the block: a pressed key repeats some thirty times a second. */
const SPARE = 5;

export class LiveBlock {
  readonly #terminal: BlockTerminal;
  readonly #coloured: (text: string) => string;
  /** The rows on the screen, below the permanent text. */
  #drawn: readonly string[] = [];
  /** The rows that the caller last asked for. */
  #rows: readonly string[] = [];
  /** An unfinished line of the permanent text, shown above the rows until the rest arrives. */
  #open = "";
  #isAtLineStart = true;
  /** The terminal size at the last draw: a saved position is valid only while the size stays. */
  #size = "";

  constructor(terminal: BlockTerminal, coloured: (text: string) => string) {
    this.#terminal = terminal;
    this.#coloured = coloured;
  }

  /** The maximum width of a row: a terminal wraps when the last column is filled. */
  get width(): number {
    return Math.max(1, (this.#terminal.columns ?? WIDTH) - 1);
  }

  /** The maximum number of rows: rows that scrolled off the screen cannot be redrawn. */
  get height(): number {
    return Math.max(1, (this.#terminal.rows ?? HEIGHT) - 3);
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Writes permanent text. */
  print(text: string): void {
    if (this.isEmpty) return this.#writeNow(text);
    const all = this.#open + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#open = all.slice(end);
    this.#redraw(all.slice(0, end));
  }

  /** Replaces the rows; without rows, the permanent text continues where it stopped. */
  draw(rows: readonly string[]): void {
    this.#rows = rows;
    const open = this.isEmpty ? this.#open : "";
    if (this.isEmpty) this.#open = "";
    this.#redraw(open);
  }

  /** Clears the rows while another writer uses the screen. */
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
    // An unfinished line of another writer stays whole above the rows.
    const lineEnd = next.length > 0 && this.#drawn.length === 0 && !this.#isAtLineStart ? "\n" : "";
    // Overwriting rows does not flicker; new permanent text must first clear the old rows.
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

  /** Saves the position of the first row; starts and ends below the last one. */
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

  /** The screen rows in use now: a narrower terminal has wrapped rows that were drawn for a wider one. */
  #height(): number {
    const width = this.#terminal.columns ?? WIDTH;
    return this.#drawn.reduce((sum, row) => sum + Math.max(1, Math.ceil(columns(row) / width)), 0);
  }
}
