/**
 * A few rows at the end of a terminal that are redrawn in place, below permanent text: rows that change, and below them
 * the footer, where a person types.
 *
 * Invariants: permanent text is written once, whole, and above the rows; a row takes one row of the screen, also after
 * the terminal was made narrower; each update is one synchronised write, so that nothing flickers and no other text gets
 * in between.
 *
 * Without a footer the terminal echoes keys, and a user who presses Enter meanwhile moves the cursor without our notice:
 * so the terminal saves the position of the first row, and some empty rows stay below the last one, where the cursor can
 * move without scrolling. With a footer the terminal is in raw mode, and only we move the cursor: then the cells on the
 * screen are known, and only those that differ are written.
 */
import { styledClip, styledColumns } from "../view/styled-text.js";
import { CLEAR_ROW, maxColumns, toCellAfter } from "./changed-cells.js";
import { rowsUpdate, toRow } from "./rows-update.js";

/** The used part of a terminal's stream. */
export type BlockTerminal = {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
  /** Reads the size again: the terminal has another one before the program is signalled. */
  refreshSize?(): void;
};

/** `cursor`: its row in the footer, and the text of that row before it. */
export type Footer = {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly before: string };
};

const UP = (rows: number): string => (rows === 0 ? "\r" : `\u001b[${rows}A\r`);
const DOWN = (rows: number): string => `\u001b[${rows}B`;
const [SAVE, RESTORE] = ["\u001b7", "\u001b8"];
const TO_SCREEN_END = "\u001b[J";
/** The terminal shows what is between them at once; terminals that do not know them skip them. */
const [SYNC_START, SYNC_END] = ["\u001b[?2026h", "\u001b[?2026l"];
const [WIDTH, HEIGHT] = [80, 24];
/** Empty rows below the block: a pressed key repeats some thirty times a second. */
const SPARE = 5;

export class LiveBlock {
  readonly #terminal: BlockTerminal;
  readonly #coloured: (text: string) => string;
  /** The rows on the screen, below the permanent text. */
  #drawn: readonly string[] = [];
  /** The cursor's row among the drawn ones, and the text before it; undefined when it is below the last one. */
  #drawnCursor: Footer["cursor"] | undefined;
  /** The rows that the caller last asked for. */
  #rows: readonly string[] = [];
  #footer: Footer | undefined;
  /** An unfinished line of the permanent text, shown above the rows until the rest arrives. */
  #open = "";
  #isAtLineStart = true;
  /** The terminal size at the last draw: a saved position is valid only while the size stays. */
  #size = "";
  /** Whether the screen shows what was drawn last, cell by cell. */
  #isKnown = true;

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
    return Math.max(1, (this.#terminal.rows ?? HEIGHT) - 3 - (this.#footer?.rows.length ?? 0));
  }

  /** Whether the caller has drawn no rows; there may be a footer. */
  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Writes permanent text, and replaces the rows in the same write. */
  print(text: string, rows: readonly string[] = this.#rows): void {
    this.#rows = rows;
    const all = this.#open + text;
    const end = this.#hasNothing ? all.length : all.lastIndexOf("\n") + 1;
    this.#open = all.slice(end);
    if (this.#hasNothing && this.#drawn.length === 0) this.#writeNow(all);
    else this.#redraw(all.slice(0, end));
  }

  /** Replaces the rows; without rows and footer, the permanent text continues where it stopped. */
  draw(rows: readonly string[]): void {
    this.#rows = rows;
    this.#redraw(this.#takeOpen());
  }

  /** Replaces the footer, in a terminal in raw mode. */
  setFooter(footer: Footer | undefined): void {
    this.#footer = footer;
    this.#redraw(this.#takeOpen());
  }

  /** Draws everything again, since the screen may show something else than was drawn. */
  refresh(): void {
    this.#isKnown = false;
    this.#redraw("");
  }

  /** Clears the rows while another writer uses the screen. */
  around(write: () => void): void {
    if (this.#hasNothing) return write();
    this.#terminal.refreshSize?.();
    this.#terminal.write(this.#erasing());
    this.#drawn = [];
    this.#drawnCursor = undefined;
    write();
    this.#redraw("");
  }

  get #hasNothing(): boolean {
    return this.isEmpty && !this.#footer;
  }

  #takeOpen(): string {
    if (!this.#hasNothing) return "";
    const open = this.#open;
    this.#open = "";
    return open;
  }

  #redraw(text: string): void {
    // The terminal has wrapped the rows before we are signalled: on a busy machine, long before.
    this.#terminal.refreshSize?.();
    const footer = this.#footer;
    const next = this.#nextRows().map((row) => this.#coloured(row));
    if (text === "" && next.length === 0 && this.#drawn.length === 0) return;
    const shown = this.#coloured(text);
    const cursor = footer && { ...footer.cursor, row: next.length - footer.rows.length + footer.cursor.row };
    const written = this.#changes(shown, next, cursor) ?? this.#everything(shown, next, cursor);
    if (written !== "") this.#terminal.write(SYNC_START + written + SYNC_END);
    this.#drawn = next;
    this.#drawnCursor = cursor;
    this.#size = this.#sizeNow;
    this.#isKnown = true;
    if (text !== "") this.#isAtLineStart = text.endsWith("\n");
    else if (next.length > 0) this.#isAtLineStart = true;
  }

  /** Writes the cells that differ. Undefined when the screen's content or the text's width is unknown. */
  #changes(text: string, next: readonly string[], cursor: Footer["cursor"] | undefined): string | undefined {
    const from = this.#drawnCursor;
    if (!from || !cursor || !this.#isKnown || this.#size !== this.#sizeNow) return undefined;
    const lines = text === "" ? [] : text.slice(0, -1).split("\n");
    const { columns = WIDTH, rows = HEIGHT } = this.#terminal;
    if (lines.length + next.length > rows || lines.some((line) => maxColumns(line) > columns))
      return undefined;
    const update = rowsUpdate(this.#drawn, [...lines, ...next], from.row);
    const row = lines.length + cursor.row;
    if (update.text === "" && from.row === row && from.before === cursor.before) return "";
    return update.text + toRow(update.at, row) + toCellAfter(cursor.before);
  }

  #everything(text: string, next: readonly string[], cursor: Footer["cursor"] | undefined): string {
    // An unfinished line of another writer stays whole above the rows.
    const lineEnd = next.length > 0 && this.#drawn.length === 0 && !this.#isAtLineStart ? "\n" : "";
    // Overwriting rows does not flicker; new permanent text must first clear the old rows.
    const shown = text === "" ? "" : TO_SCREEN_END + text;
    const rows = next.map((row) => CLEAR_ROW + row).join("\n");
    const first = this.#drawn.length === 0 ? "" : this.#toFirstRow();
    const place = cursor
      ? TO_SCREEN_END + UP(next.length - 1 - cursor.row) + toCellAfter(cursor.before)
      : `${next.length === 0 ? "" : "\n"}${TO_SCREEN_END}${this.#keepPlace(next.length)}`;
    return first + lineEnd + shown + rows + place;
  }

  /** The rows that fit the screen, each clipped to its width; the footer stays when there are too many. */
  #nextRows(): readonly string[] {
    if (this.#hasNothing) return [];
    const { width } = this;
    const footer = this.#footer?.rows ?? [];
    const rows = [...(this.#open === "" ? [] : [this.#open]), ...this.#rows];
    const room = Math.max(0, (this.#terminal.rows ?? HEIGHT) - 1 - footer.length);
    const shown = this.#footer && rows.length > room ? rows.slice(rows.length - room) : rows;
    return [...shown, ...footer].map((row) => styledClip(row, width));
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
    const cursor = this.#drawnCursor;
    if (cursor) {
      const width = this.#terminal.columns ?? WIDTH;
      const wrapped = Math.floor(Math.max(0, styledColumns(cursor.before) - 1) / width);
      return UP(this.#height(this.#drawn.slice(0, cursor.row)) + wrapped);
    }
    return this.#size === this.#sizeNow ? RESTORE : UP(this.#height(this.#drawn));
  }

  get #sizeNow(): string {
    return `${this.#terminal.columns ?? WIDTH} ${this.#terminal.rows ?? HEIGHT}`;
  }

  /** The screen rows in use now: a narrower terminal has wrapped rows that were drawn for a wider one. */
  #height(rows: readonly string[]): number {
    const width = this.#terminal.columns ?? WIDTH;
    return rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(styledColumns(row) / width)), 0);
  }
}
