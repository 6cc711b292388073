import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KeyDecoder } from "./key-decoder.js";
import type { Key } from "./key-decoder.js";

const ESC = "\u001B";
const names = (keys: readonly Key[]) => keys.map((key) => (key.type === "key" ? key.name : key.text));
const decoded = (text: string) => names(new KeyDecoder().push(text));

test.each([
  ["a", ["a"]],
  ["\r", ["enter"]],
  ["\n", ["newline"]],
  [`${ESC}\r`, ["newline"]],
  [`${ESC}[13;2u`, ["newline"]],
  [`${ESC}[27;2;13~`, ["newline"]],
  [`${ESC}[A${ESC}[B${ESC}OC${ESC}OD`, ["up", "down", "right", "left"]],
  [`${ESC}[1;5C${ESC}[1;3D`, ["word-right", "word-left"]],
  [`${ESC}[3~${ESC}[H${ESC}[4~`, ["delete", "home", "end"]],
  ["\u0003\u0004\u007F\t", ["ctrl-c", "ctrl-d", "backspace", "tab"]],
  [`${ESC}[200~a\r\nb${ESC}[A${ESC}[201~c`, [`a\nb${ESC}[A`, "c"]],
  [`${ESC}[?2026;2$y`, []],
  ["héllo 👩‍💻", ["héllo 👩‍💻"]],
])("reads %j as %j", (text, keys) => {
  expect(decoded(text)).toEqual(keys);
});

test("reads a lone Escape as a key when nothing follows it", () => {
  const decoder = new KeyDecoder();
  expect(decoder.push(ESC)).toEqual([]);
  expect(decoder.isOpen).toBe(true);
  expect(names(decoder.flush())).toEqual(["escape"]);
  expect(decoder.isOpen).toBe(false);
});

/** Typed characters may come as one text or as several. */
const joined = (keys: readonly string[]): string => keys.join("|").replaceAll(/(?<=[aé])\|(?=[aé])/g, "");

test("keys are the same however their bytes are cut", () => {
  const piece = fc.constantFrom(
    "a",
    "é",
    "\r",
    `${ESC}[A`,
    `${ESC}[1;5C`,
    `${ESC}OP`,
    "\u0003",
    `${ESC}[200~x\ny${ESC}[201~`,
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60)), (pieces, cuts) => {
      const text = pieces.join("");
      const decoder = new KeyDecoder();
      const keys: Key[] = [];
      let from = 0;
      for (const cut of [...cuts, text.length]
        .map((one) => Math.min(one, text.length))
        .toSorted((a, b) => a - b)) {
        keys.push(...decoder.push(text.slice(from, cut)));
        from = cut;
      }
      expect(joined(names(keys))).toBe(joined(decoded(text)));
    }),
  );
});
