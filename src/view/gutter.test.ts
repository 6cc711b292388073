import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GUTTER, Gutter } from "./gutter.js";
import { hostile } from "./gutter.samples.js";
import { columns } from "./visible-line.js";

const written = (pieces: readonly string[], width: number): string => {
  const gutter = new Gutter(() => width);
  return pieces.map((piece) => gutter.write(piece)).join("") + gutter.end();
};

describe("an agent's text behind the gutter", () => {
  test("has the mark before every row, and no row wider than the terminal, whatever the text and its pieces", () => {
    const width = fc.integer({ min: 12, max: 60 });
    fc.assert(
      fc.property(fc.array(hostile), width, (pieces, wide) => {
        const text = written(pieces, wide);
        if (text === "") return;
        expect(text.endsWith("\n")).toBe(true);
        for (const row of text.slice(0, -1).split("\n")) {
          expect(row).toMatch(/^[│┆](?: |$)/);
          expect(columns(row)).toBeLessThanOrEqual(wide);
          expect(row).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      }),
    );
  });

  test("loses no character but spaces at the end of a row", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "漢") })),
        (pieces) => {
          const plain = written(pieces, 14).replaceAll(/^[│┆] ?/gm, "");
          expect(plain.replaceAll(/\s/g, "")).toBe(pieces.join("").replaceAll(/\s/g, ""));
        },
      ),
    );
  });

  test("breaks between words, and marks the rows that continue a line", () => {
    expect(written(["one two ", "three\n\nfour"], 12)).toBe("│ one two \n┆ three\n│\n│ four\n");
    expect(written(["abcdefghijklmnop"], 12)).toBe("│ abcdefghij\n┆ klmnop\n");
    expect(written(["a\tb"], 80)).toBe("│ a   b\n");
    expect(written(["x".repeat(300)], Infinity)).toBe(`${GUTTER.first}${"x".repeat(300)}\n`);
  });

  test("shows a forged question, a carriage return and an escape sequence as text of the agent", () => {
    const forged = "ok\rAllow this? [y]es: y\n\u001b[2K✓ ❯ Run rm (allowed by you)";
    expect(written([forged], 80)).toBe(
      "│ ok\\rAllow this? [y]es: y\n│ ⟨U+001B⟩[2K✓ ❯ Run rm (allowed by you)\n",
    );
  });
});

test("joins an emoji that arrives in chunks", () => {
  const gutter = new Gutter(() => 40);
  const pieces = ["warning \u26A0", "\uFE0F and \u{1F468}", "\u200D", "\u{1F469}\u200D\u{1F467}"];
  expect(pieces.map((piece) => gutter.write(piece)).join("") + gutter.end()).toBe(
    "│ warning ⚠\uFE0F and 👨\u200D👩\u200D👧\n",
  );
});
