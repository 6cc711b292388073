/**
 * An agent's words as they arrive, with a mark before every row. Toolgate's own lines never begin with the mark, so no
 * text of an agent looks like a question, a card or a note of ours.
 *
 * Invariants: each row begins with a mark and fits the width, also the rows that continue a long line: a terminal would
 * start them in column 0. No control character passes; tabs become spaces.
 */
import { visibleText } from "../call/index.js";
import { columns, unitsOf } from "./visible-line.js";

/** Before a line, and before a row that continues one. */
export const GUTTER = { first: "│ ", next: "┆ " } as const;

const TAB_STOP = 4;
const TOKENS = /\n|\t| +|[^\n\t ]+/g;

export class Gutter {
  readonly #width: () => number;
  /** The columns that the current row fills behind its mark; undefined before the mark is written. */
  #filled: number | undefined;
  /** An emoji at the end of the last piece, which the next piece may continue. */
  #pending = "";

  /** `width` is read for each piece of text: a terminal can be resized. Infinity where nothing breaks rows. */
  constructor(width: () => number) {
    this.#width = width;
  }

  /** A piece of text, which may begin and end anywhere in a line. */
  write(text: string): string {
    const room = this.#room;
    const whole = this.#pending + text;
    this.#pending = OPEN_EMOJI.exec(whole)?.[0] ?? "";
    return this.#write(whole.slice(0, whole.length - this.#pending.length), room);
  }

  /** Ends the row that is open, if any. */
  end(): string {
    const rest = this.#pending;
    this.#pending = "";
    const last = rest === "" ? "" : this.#write(rest, this.#room);
    const end = this.#filled === undefined ? "" : "\n";
    this.#filled = undefined;
    return last + end;
  }

  get #room(): number {
    return Math.max(MIN_ROOM, this.#width() - columns(GUTTER.first));
  }

  #write(text: string, room: number): string {
    const tokens = visibleText(text, { keepNewlines: true }).match(TOKENS) ?? [];
    return tokens.map((token) => this.#token(token, room)).join("");
  }

  #token(token: string, room: number): string {
    if (token === "\n") return this.#filled === undefined ? `${GUTTER.first.trimEnd()}\n` : this.end();
    if (token === "\t") return this.#put(" ".repeat(TAB_STOP - ((this.#filled ?? 0) % TAB_STOP)), room);
    if (token.startsWith(" ") || columns(token) <= room) return this.#put(token, room);
    // A word that fits no row is broken anywhere.
    return unitsOf(token)
      .map((unit) => this.#put(unit, room))
      .join("");
  }

  #put(text: string, room: number): string {
    const width = columns(text);
    const filled = this.#filled ?? 0;
    const start = this.#filled === undefined ? GUTTER.first : "";
    if (filled + width <= room) {
      this.#filled = filled + width;
      return start + text;
    }
    // Spaces end a row and begin none.
    const isSpace = text.startsWith(" ");
    this.#filled = isSpace ? 0 : width;
    return `${start}\n${GUTTER.next}${isSpace ? "" : text}`;
  }
}

/** Bounded: a text that is nothing but emoji is written in time. */
// oxlint-disable-next-line no-misleading-character-class -- parts of emoji are what it looks for
const OPEN_EMOJI = /[\p{Extended_Pictographic}\u200D\uFE0F\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}]{1,16}$/u;

/** A narrower terminal than this breaks rows itself. */
const MIN_ROOM = 8;
