import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LiveBlock } from "./live-block.js";

/** An escape sequence that LiveBlock writes, or a character. */
const PARTS = new RegExp(String.raw`\u001b\[\?2026[hl]|\u001b\[(\d*)([A-Z])|\u001b([78])|[\s\S]`, "g");

/** A terminal emulator with scrollback, to compare the final text. */
class Terminal {
  rows = 12;
  #lines: string[] = [""];
  #row = 0;
  /** The line number of the first row. */
  #top = 0;
  /** A saved cursor position on the screen, which does not scroll. */
  #saved: readonly [number, number] = [0, 0];
  #column = 0;

  constructor(public columns: number) {}

  get screen(): readonly string[] {
    const lines = this.#lines.map((line) => line.trimEnd());
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  }

  write(text: string): void {
    for (const [part, count, code, place] of text.matchAll(PARTS)) {
      if (part.startsWith("\u001b[?")) continue;
      if (code === "A") this.#row = Math.max(this.#top, this.#row - Number(count));
      else if (code === "B") this.#row = Math.min(this.#top + this.rows - 1, this.#row + Number(count));
      else if (place === "7") this.#saved = [this.#row - this.#top, this.#column];
      else if (place === "8") [this.#row, this.#column] = [this.#top + this.#saved[0], this.#saved[1]];
      else if (code === "K") this.#set(this.#line.slice(0, this.#column));
      else if (code === "J") {
        this.#set(this.#line.slice(0, this.#column));
        this.#lines.length = this.#row + 1;
      } else if (part === "\r") this.#column = 0;
      else if (part === "\n") this.#down();
      else this.#put(part);
    }
  }

  /** Wraps long lines like a real terminal; only for rows that were full lines. */
  narrow(columns: number): void {
    const below = this.#row === this.screen.length && this.#line === "";
    this.#lines.length = this.#row + 1;
    const folded = this.#lines.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, "g")) ?? [""]);
    this.columns = columns;
    this.#lines = folded;
    this.#row = folded.length - 1;
    if (!below) throw new Error("It is only made narrower while the cursor is below the rows.");
  }

  get #line(): string {
    return this.#lines[this.#row] ?? "";
  }

  #set(line: string): void {
    this.#lines[this.#row] = line;
  }

  #down(): void {
    this.#row += 1;
    this.#column = 0;
    while (this.#row >= this.#lines.length) this.#lines.push("");
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }

  #put(character: string): void {
    if (this.#column === this.columns) this.#down();
    const line = this.#line.padEnd(this.#column);
    this.#set(line.slice(0, this.#column) + character + line.slice(this.#column + 1));
    this.#column += 1;
  }
}

const plain = (text: string) => text;

/** The same text on a terminal without redrawing. */
function alone(text: string, columns: number): readonly string[] {
  const terminal = new Terminal(columns);
  terminal.write(text);
  return terminal.screen;
}

const words = fc.stringMatching(/^[a-z ]{0,50}$/);
const texts = fc.array(words, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));
const steps = fc.array(
  fc.oneof(
    texts.map((text) => ({ type: "print", text }) as const),
    fc
      .array(fc.stringMatching(/^[A-Z]{1,50}$/), { maxLength: 5 })
      .map((rows) => ({ type: "draw", rows }) as const),
  ),
  { maxLength: 12 },
);
/** Text typed before the next draw: the terminal echoes it at the cursor. */
const typed = fc.stringMatching(/^[a-z]{0,5}\n{0,4}[a-z]{0,5}$/);

test("keeps permanent text whole and in order, whatever is drawn and printed", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 12, max: 60 }), typed, (taken, columns, keys) => {
      const terminal = new Terminal(columns);
      const block = new LiveBlock(terminal, plain);
      let printed = "";
      for (const step of taken) {
        if (step.type === "print") {
          block.print(step.text);
          printed += step.text;
        } else {
          // Drawing rows ends an unfinished line.
          if (block.isEmpty && step.rows.length > 0 && printed !== "" && !printed.endsWith("\n"))
            printed += "\n";
          block.draw(step.rows);
          const shown = step.rows.map((row) =>
            row.length < columns ? row : `${row.slice(0, columns - 2)}…`,
          );
          if (shown.length > 0) {
            expect(terminal.screen.slice(-shown.length)).toEqual(shown);
            terminal.write(keys);
          }
        }
      }
      block.draw([]);
      expect(terminal.screen).toEqual(alone(printed, columns));
    }),
  );
});

test("puts text above the drawn rows, also before its line is complete", () => {
  const terminal = new Terminal(40);
  const block = new LiveBlock(terminal, plain);
  block.draw(["RUNNING"]);
  block.print("one two");
  expect(terminal.screen).toEqual(["one two", "RUNNING"]);
  block.print(" three\nfour");
  expect(terminal.screen).toEqual(["one two three", "four", "RUNNING"]);
  block.draw([]);
  block.print(" five");
  expect(terminal.screen).toEqual(["one two three", "four five"]);
});

test("keeps what other writers write in between", () => {
  const terminal = new Terminal(40);
  const block = new LiveBlock(terminal, plain);
  block.print("said\n");
  block.draw(["RUNNING", "ALSO"]);
  block.around(() => terminal.write("a warning\n"));
  block.draw(["RUNNING"]);
  expect(terminal.screen).toEqual(["said", "a warning", "RUNNING"]);
});

test("removes rows that a narrower terminal has wrapped", () => {
  const terminal = new Terminal(40);
  const block = new LiveBlock(terminal, plain);
  block.print("said\n");
  block.draw(["R".repeat(35), "S".repeat(12)]);
  terminal.narrow(10);
  block.draw(["DONE"]);
  expect(terminal.screen).toEqual(["said", "DONE"]);
});
