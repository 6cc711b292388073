/** The drawn cells, read by a real terminal emulator: permanent text once, the rows below it, the cursor where it belongs. */
import xterm from "@xterm/headless";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { styled, styledClip, withoutStyles } from "../view/styled-text.js";
import { coloured } from "./colour.js";
import { LiveBlock } from "./live-block.js";
import type { Footer } from "./live-block.js";

class Emulator {
  readonly terminal;
  #written: Promise<void> = Promise.resolve();
  bytes = 0;

  constructor(columns: number, rows: number) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.terminal.cols;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  write(text: string): void {
    this.bytes += text.length;
    // The kernel does this for a program: a line end goes to the first column too.
    const sent = text.replaceAll("\n", "\r\n");
    this.#written = this.#written.then(() => new Promise((resolve) => this.terminal.write(sent, resolve)));
  }

  async resize(columns: number): Promise<void> {
    await this.#written;
    this.terminal.resize(columns, this.terminal.rows);
  }

  /** All lines, wrapped ones joined, without empty ones at the end. */
  async lines(): Promise<readonly string[]> {
    await this.#written;
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; at < active.length; at += 1) {
      const line = active.getLine(at);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  }

  async cursor(): Promise<{ readonly line: string; readonly before: string }> {
    await this.#written;
    const { active } = this.terminal.buffer;
    const line = active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? "";
    return { line, before: line.slice(0, active.cursorX) };
  }
}

const word = fc.stringMatching(/^[a-z]{1,30}$/);
const row = fc.tuple(word, fc.boolean()).map(([text, isStyled]) => (isStyled ? styled(text, "bold") : text));
const footer: fc.Arbitrary<Footer> = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.nat(2), fc.nat(8))
  .map(([rows, at, column]) => {
    const index = Math.min(at, rows.length - 1);
    return { rows, cursor: { row: index, before: (rows[index] ?? "").slice(0, column) } };
  });
const step = fc.oneof(
  word.map((text) => ({ type: "print" as const, text: `${text}\n` })),
  fc.array(row, { maxLength: 4 }).map((rows) => ({ type: "draw" as const, rows })),
  footer.map((next) => ({ type: "footer" as const, footer: next })),
  fc.integer({ min: 16, max: 70 }).map((columns) => ({ type: "resize" as const, columns })),
);

test("prints each line once and redraws only what is below it, through resizes", async () => {
  await fc.assert(
    fc.asyncProperty(footer, fc.array(step, { maxLength: 20 }), async (first, steps) => {
      const emulator = new Emulator(50, 14);
      const block = new LiveBlock(emulator, coloured);
      const printed: string[] = [];
      let shown: { rows: readonly string[]; footer: Footer } = { rows: [], footer: first };
      block.setFooter(first);
      for (const one of steps) {
        if (one.type === "print") {
          printed.push(one.text.trimEnd());
          block.print(one.text);
        } else if (one.type === "draw") {
          shown = { ...shown, rows: one.rows };
          block.draw(one.rows);
        } else if (one.type === "footer") {
          shown = { ...shown, footer: one.footer };
          block.setFooter(one.footer);
        } else {
          await emulator.lines();
          await emulator.resize(one.columns);
          block.refresh();
        }
      }
      const fitting = (text: string): string => withoutStyles(styledClip(text, block.width));
      const expected = [...printed, ...shown.rows.map(fitting), ...shown.footer.rows.map(fitting)];
      expect(await emulator.lines()).toEqual(expected);
      const { cursor, rows } = shown.footer;
      expect(await emulator.cursor()).toEqual({
        line: fitting(rows[cursor.row] ?? ""),
        before: cursor.before,
      });
      block.draw([]);
      block.setFooter(undefined);
      expect(await emulator.lines()).toEqual(printed);
    }),
  );
});

test("keeps emoji and wide characters whole in its cells, and the cursor behind them", async () => {
  const emulator = new Emulator(40, 10);
  const block = new LiveBlock(emulator, coloured);
  block.print("│ ⚠️ 中文 👨‍👩‍👧 done\n");
  block.setFooter({ rows: ["> 中文👍🏽x"], cursor: { row: 0, before: "> 中文👍🏽" } });
  expect(await emulator.lines()).toEqual(["│ ⚠️ 中文 👨‍👩‍👧 done", "> 中文👍🏽x"]);
  const { active } = emulator.terminal.buffer;
  expect(
    active
      .getLine(active.baseY + active.cursorY)
      ?.getCell(active.cursorX)
      ?.getChars(),
  ).toBe("x");
});

test("each update is one synchronised write", () => {
  const writes: string[] = [];
  const block = new LiveBlock({ write: (text) => writes.push(text), columns: 40, rows: 10 }, coloured);
  block.setFooter({ rows: ["> "], cursor: { row: 0, before: "> " } });
  block.print("one\n");
  block.draw(["a", "b"]);
  expect(writes).toHaveLength(3);
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  for (const text of writes) expect(text).toMatch(/^\u001b\[\?2026h[\s\S]*\u001b\[\?2026l$/);
});
