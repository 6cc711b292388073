import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textUnits } from "../../call/text-units.js";
import { columns } from "../../view/index.js";
import { inputRows } from "./input-rows.js";
import type { KeyName } from "./key-decoder.js";
import { edited, EMPTY_INPUT, inputWith, inserted } from "./text-input.js";
import type { TextInput } from "./text-input.js";

const after = (text: string, ...keys: readonly KeyName[]): string => {
  const end = keys.reduce<TextInput>((input, key) => edited(input, key) ?? input, inputWith(text));
  return `${end.text.slice(0, end.cursor)}|${end.text.slice(end.cursor)}`;
};

test.each<[string, readonly KeyName[], string]>([
  ["ab👨‍👩‍👧", ["backspace"], "ab|"],
  ["ab👨‍👩‍👧", ["left", "delete"], "ab|"],
  ["é", ["left"], "|é"],
  ["one two", ["ctrl-w"], "one |"],
  ["one two", ["ctrl-w", "ctrl-y", "ctrl-y"], "one twotwo|"],
  ["one two", ["word-left", "word-left", "ctrl-k"], "|"],
  ["long line\nab", ["up"], "lo|ng line\nab"],
  ["ab\nlong line", ["up", "down"], "ab\nlo|ng line"],
  ["ab\ncd", ["home", "backspace"], "ab|cd"],
  ["ab\ncd", ["up", "ctrl-k"], "ab|cd"],
])("%j after %j is %j", (text, keys, result) => {
  expect(after(text, ...keys)).toBe(result);
});

const unit = fc.constantFrom("a", "é", "中", "👨‍👩‍👧", "⚠️", "\n", "\t", " ", "\u202E", "e\u0301");
const key = fc.constantFrom<KeyName>(
  "left",
  "right",
  "up",
  "down",
  "backspace",
  "delete",
  "word-left",
  "word-right",
  "ctrl-w",
  "ctrl-u",
  "ctrl-k",
  "ctrl-y",
  "home",
  "end",
  "newline",
);

test("never leaves the cursor inside a character, and fits each row into the width", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(unit, key)), fc.integer({ min: 12, max: 40 }), (steps, width) => {
      let input: TextInput = EMPTY_INPUT;
      for (const step of steps)
        input = edited(input, step as KeyName) ?? inserted(input, step.length > 12 ? "x" : step);
      const ends = new Set([0]);
      let end = 0;
      for (const one of textUnits(input.text)) ends.add((end += one.length));
      expect(ends.has(input.cursor)).toBe(true);
      const { rows, cursor } = inputRows(input, { width, maxRows: 5, prompt: "> " });
      expect(rows.length).toBeLessThanOrEqual(5);
      for (const row of rows) expect(columns(row)).toBeLessThanOrEqual(width);
      expect(rows[cursor.row]?.startsWith(cursor.before)).toBe(true);
    }),
  );
});
