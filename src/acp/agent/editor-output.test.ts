import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EditorOutput, LEFT_OUT } from "./editor-output.js";

const going = { isCut: false, isOver: false };
const over = { isCut: false, isOver: true };

/** The output that is emitted when polls return these screens. */
function emitted(...screens: readonly string[]): string[] {
  const output = new EditorOutput();
  return screens.map((screen, index) => output.since(screen, index === screens.length - 1 ? over : going));
}

test("emits output once, each line when it is whole", () => {
  expect(emitted("a\nb", "a\nbc\n", "a\nbc\nd", "a\nbc\nd")).toEqual(["a\n", "bc\n", "", "d"]);
});

test("emits the final text of a last line that is redrawn", () => {
  expect(emitted("10 %", "50 %", "100 %\n", "100 %\ndone")).toEqual(["", "", "100 %\n", "done"]);
});

test("emits a redrawn earlier line again, with the lines below it", () => {
  expect(emitted("x\nfirst 1\nsecond 1\n", "x\nfirst 2\nsecond 1\n")).toEqual([
    "x\nfirst 1\nsecond 1\n",
    "first 2\nsecond 1\n",
  ]);
});

test("notes that output was left out when the terminal dropped some", () => {
  const output = new EditorOutput();
  expect(output.since("a\n", going)).toBe("a\n");
  expect(output.since("y\nz\n", { isCut: true, isOver: true })).toBe(`${LEFT_OUT}y\nz\n`);
});

const chunks = fc.array(fc.stringMatching(/^[ab\n]{0,12}$/), { maxLength: 20 });

test("emits the whole output of a terminal that keeps all of it, at any poll times", () => {
  fc.assert(
    fc.property(chunks, (pieces) => {
      const output = new EditorOutput();
      let [shown, seen] = ["", ""];
      for (const piece of pieces) seen += output.since((shown += piece), going);
      seen += output.since(shown, over);
      expect(seen).toBe(shown);
    }),
  );
});

test("emits all text that a terminal with a limit still has", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 30 }), (pieces, limit) => {
      const output = new EditorOutput();
      let [all, seen] = ["", ""];
      const look = (isOver: boolean) =>
        output.since(all.slice(-limit), { isCut: all.length > limit, isOver });
      for (const piece of pieces) {
        all += piece;
        seen += look(false);
      }
      seen += look(true);
      expect(seen.endsWith(all.slice(-limit))).toBe(true);
    }),
  );
});
