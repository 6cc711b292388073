/** The drawn cells, read by a real terminal emulator: permanent text once, the rows below it, the cursor where it belongs. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textUnits } from "../call/text-units.js";
import { styled, styledClip, withoutStyles } from "../view/styled-text.js";
import { clipped } from "../view/index.js";
import { coloured } from "./colour.js";
import { Emulator } from "./emulator.samples.js";
import { LiveBlock } from "./live-block.js";
import type { Footer } from "./live-block.js";

const word = fc.stringMatching(/^[a-z]{1,30}$/);
const wide = fc.constantFrom(
  "中文",
  "a中b",
  "⚠️ x",
  "👍🏽",
  "│ é",
  "✓ ok",
  "⠋ 1 s",
  "    │ - old",
  "    │ + new",
);
const styledWord = fc
  .tuple(fc.oneof(word, wide), fc.constantFrom("bold", "dim", "red", "inverse"))
  .map(([text, style]) => styled(text, style));
const row = fc.oneof(
  word,
  wide,
  styledWord,
  fc.tuple(word, styledWord, wide).map((parts) => parts.join(" ")),
);
const rows = fc.array(row, { maxLength: 4 });
/** Narrow enough that no resize breaks a wide character at the end of a row. */
const line = fc.oneof(
  word,
  wide,
  fc.stringMatching(/^[a-z]{1,10}$/).map((text) => styled(text, "green")),
);
const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => `${all.join("\n")}\n`);
const footer: fc.Arbitrary<Footer> = fc
  // The cursor stands in rows without a style.
  .tuple(
    fc.array(
      fc.oneof(
        word,
        wide.filter((text) => coloured(text) === text),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    fc.nat(2),
    fc.nat(8),
  )
  .map(([all, at, column]) => {
    const index = Math.min(at, all.length - 1);
    const units = textUnits(all[index] ?? "");
    return { rows: all, cursor: { row: index, before: units.slice(0, column).join("") } };
  });
const step = fc.oneof(
  lines.map((text) => ({ type: "print" as const, text })),
  fc.tuple(lines, rows).map(([text, next]) => ({ type: "print" as const, text, rows: next })),
  rows.map((next) => ({ type: "draw" as const, rows: next })),
  footer.map((next) => ({ type: "footer" as const, footer: next })),
  fc.integer({ min: 16, max: 70 }).map((columns) => ({ type: "resize" as const, columns })),
);

test("prints each line once and redraws only what is below it, through resizes", async () => {
  await fc.assert(
    fc.asyncProperty(footer, fc.array(step, { maxLength: 20 }), async (first, steps) => {
      const emulator = new Emulator(50, 14);
      const block = new LiveBlock(emulator, coloured);
      let printed = "";
      let shown: { rows: readonly string[]; footer: Footer } = { rows: [], footer: first };
      block.setFooter(first);
      for (const one of steps) {
        if (one.type === "print") {
          printed += coloured(one.text);
          if ("rows" in one) shown = { ...shown, rows: one.rows };
          block.print(one.text, shown.rows);
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
      const fitting = (text: string): string => coloured(styledClip(text, block.width));
      // The same, drawn at once on a screen of its own.
      const atOnce = new Emulator(emulator.columns, 14);
      atOnce.write(printed + [...shown.rows, ...shown.footer.rows].map(fitting).join("\n"));
      expect(await emulator.lines()).toEqual(await atOnce.lines());
      expect(await emulator.cells()).toEqual(await atOnce.cells());
      const { cursor, rows: footerRows } = shown.footer;
      expect(await emulator.cursor()).toEqual({
        line: withoutStyles(fitting(footerRows[cursor.row] ?? "")),
        before: cursor.before,
      });
      block.draw([]);
      block.setFooter(undefined);
      expect(await emulator.lines()).toEqual(withoutStyles(printed).split("\n").slice(0, -1));
    }),
  );
});

test("writes only the cells that differ", () => {
  const writes: string[] = [];
  const block = new LiveBlock({ write: (text) => writes.push(text), columns: 80, rows: 24 }, coloured);
  block.setFooter({ rows: ["─".repeat(79), "> a message", "the model"], cursor: { row: 1, before: "> a" } });
  block.draw([`│ ${"word ".repeat(10)}`, "⠋ working 1 s"]);
  writes.length = 0;
  block.draw([`│ ${"word ".repeat(10)}next`, "⠙ working 1 s"]);
  block.print("│ a line that has ended\n");
  expect(writes).toHaveLength(2);
  expect(writes[0]).toContain("next");
  expect(writes[0]?.length).toBeLessThan(80);
  expect(writes[1]).not.toContain("working");
  expect(writes[1]?.length).toBeLessThan(100);
  writes.length = 0;
  block.draw([`│ ${"word ".repeat(10)}next`, "⠙ working 1 s"]);
  expect(writes).toEqual([]);
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

test("wraps each update in one synchronised write", () => {
  const writes: string[] = [];
  const block = new LiveBlock({ write: (text) => writes.push(text), columns: 40, rows: 10 }, coloured);
  block.setFooter({ rows: ["> "], cursor: { row: 0, before: "> " } });
  block.print("one\n");
  block.draw(["a", "b"]);
  expect(writes).toHaveLength(3);
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  for (const text of writes) expect(text).toMatch(/^\u001b\[\?2026h[\s\S]*\u001b\[\?2026l$/);
});

test("leaves no row behind when the terminal has wrapped them before the program is signalled", async () => {
  const emulator = new Emulator(40, 14);
  let { columns } = emulator;
  const late = {
    write: (text: string) => emulator.write(text),
    get columns() {
      return columns;
    },
    rows: emulator.rows,
    refreshSize: () => {
      ({ columns } = emulator);
    },
  };
  const block = new LiveBlock(late, (text) => text);
  block.print("said\n");
  block.setFooter({ rows: ["> "], cursor: { row: 0, before: "> " } });
  block.draw(["R".repeat(35), "S".repeat(35)]);
  await emulator.resize(20);
  block.draw(["DONE"]);
  expect((await emulator.lines()).map((text) => text.trimEnd())).toEqual(["said", "DONE", ">"]);
});

test("keeps each row on one line of the screen, whatever its characters and the width", async () => {
  const units = ["a", "中", "⚠️", "✔️", "❤️", "👍🏽", "👨‍👩‍👧", "🇩🇪", "1️⃣", "é", "ö", " "];
  const texts = fc.array(fc.array(fc.constantFrom(...units), { maxLength: 40 }), {
    minLength: 1,
    maxLength: 3,
  });
  // A unit that counts too little shows where none beside it counts too much.
  const examples = units.map((unit): [string[][], number] => [[Array.from({ length: 40 }, () => unit)], 21]);
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 8, max: 40 }), async (all, columns) => {
      const drawn = all.map((parts) => `${parts.join("")}|`);
      const emulator = new Emulator(columns, 14);
      const block = new LiveBlock(emulator, coloured);
      block.setFooter({ rows: ["> "], cursor: { row: 0, before: "> " } });
      block.draw(drawn);
      expect((await emulator.lines()).map((text) => text.trimEnd())).toEqual([
        ...drawn.map((text) => clipped(text, block.width).trimEnd()),
        ">",
      ]);
      const { active } = emulator.terminal.buffer;
      for (let at = 0; at < active.length; at += 1) expect(active.getLine(at)?.isWrapped).toBe(false);
    }),
    { examples },
  );
});
