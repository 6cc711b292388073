import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EditorOutput, LEFT_OUT } from "./editor-output.js";

const going = { isCut: false, isOver: false };
const over = { isCut: false, isOver: true };

/** What is told when the terminal holds these, one after the other. */
function told(...screens: readonly string[]): string[] {
  const output = new EditorOutput();
  return screens.map((screen, index) => output.since(screen, index === screens.length - 1 ? over : going));
}

test("what came is told once, a line when it is whole", () => {
  expect(told("a\nb", "a\nbc\n", "a\nbc\nd", "a\nbc\nd")).toEqual(["a\n", "bc\n", "", "d"]);
});

test("a line that is drawn over while it is the last is told as it is in the end", () => {
  expect(told("10 %", "50 %", "100 %\n", "100 %\ndone")).toEqual(["", "", "100 %\n", "done"]);
});

test("a line further up that was drawn anew is told again, with what is below it", () => {
  expect(told("x\nfirst 1\nsecond 1\n", "x\nfirst 2\nsecond 1\n")).toEqual([
    "x\nfirst 1\nsecond 1\n",
    "first 2\nsecond 1\n",
  ]);
});

test("where more was printed than is held, that is told", () => {
  const output = new EditorOutput();
  expect(output.since("a\n", going)).toBe("a\n");
  expect(output.since("y\nz\n", { isCut: true, isOver: true })).toBe(`${LEFT_OUT}y\nz\n`);
});

const chunks = fc.array(fc.stringMatching(/^[ab\n]{0,12}$/), { maxLength: 20 });

test("a terminal that holds all of it is told whole, whenever it is looked at", () => {
  fc.assert(
    fc.property(chunks, (pieces) => {
      const output = new EditorOutput();
      let [held, heard] = ["", ""];
      for (const piece of pieces) heard += output.since((held += piece), going);
      heard += output.since(held, over);
      expect(heard).toBe(held);
    }),
  );
});

test("of one that holds only the end, nothing that it still holds is missed", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 30 }), (pieces, limit) => {
      const output = new EditorOutput();
      let [all, heard] = ["", ""];
      const look = (isOver: boolean) =>
        output.since(all.slice(-limit), { isCut: all.length > limit, isOver });
      for (const piece of pieces) {
        all += piece;
        heard += look(false);
      }
      heard += look(true);
      expect(heard.endsWith(all.slice(-limit))).toBe(true);
    }),
  );
});
