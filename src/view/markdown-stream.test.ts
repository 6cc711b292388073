import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MarkdownStream } from "./markdown-stream.js";
import { styledColumns, withoutStyles } from "./styled-text.js";

const shown = (text: string, width = 60): string => {
  const stream = new MarkdownStream(() => width);
  return [...stream.write(text), ...stream.end()].map(withoutStyles).join("\n");
};

test("shows Markdown without its marks, and all of its text", () => {
  expect(
    shown(
      "# The plan\n\n1. **Read** `cart.js`\n- [x] done\n> quoted\n\nSee [docs](https://a.example/x).\n```ts\nconst a = 1; // one\n```\nEnd",
    ),
  ).toBe(
    `│ The plan
│
│ 1. Read cart.js
│ ☑ done
│ ▏ quoted
│
│ See docs (https://a.example/x).
│   ts
│   const a = 1; // one
│ End`,
  );
});

test("marks inside of words, in code and unclosed ones stay", () => {
  expect(shown("snake_case_name 2*3*4 **open `x**y` a_b")).toBe("│ snake_case_name 2*3*4 **open x**y a_b");
});

test("aligns a table", () => {
  expect(shown("| a | bbb |\n|---|---|\n| long | `c` |\n\n")).toBe(
    "│ a    │ bbb\n│ ─────┼────\n│ long │ c\n│",
  );
});

test("breaks the cells of a table that is too wide, and leaves one alone that no width can hold", () => {
  const rows = (text: string, width: number) => {
    const stream = new MarkdownStream(() => width);
    return [...stream.write(text), ...stream.end()].map((row) => withoutStyles(row));
  };
  const wide = "| file | note |\n|---|---|\n| src/a.ts | a rather long **note** about it |\n";
  expect(rows(wide, 32)).toEqual([
    "│ file     │ note",
    "│ ─────────┼─────────────────",
    "│ src/a.ts │ a rather long",
    "│          │ note about it",
  ]);
  expect(rows("| one two | three four |\n|---|---|\n", 14)[0]).toBe("│ | one two |");
});

test("shows an open line before it ends, and prints it once", () => {
  const stream = new MarkdownStream(() => 40);
  expect(stream.write("one **tw")).toEqual([]);
  expect(stream.tail().map(withoutStyles)).toEqual(["│ one **tw"]);
  expect(stream.write("o** three\nfo").map(withoutStyles)).toEqual(["│ one two three"]);
  expect(stream.end().map(withoutStyles)).toEqual(["│ fo"]);
  expect(stream.end()).toEqual([]);
});

test("breaks a word again that is still too wide on a row of its own", () => {
  const stream = new MarkdownStream(() => 12);
  const rows = [...stream.write("> \u202E!"), ...stream.end()].map(withoutStyles);
  expect(rows).toEqual(["│ ▏", "┆   ⟨U+202E⟩", "┆   !"]);
});

test("marks each row and fits it into the width, for any text in any chunks", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom(
      "\n",
      "```",
      "```ts\n",
      "| a | b |\n",
      "|---|---|\n",
      "**",
      "_",
      "# ",
      "- ",
      "\u001B[31m",
      "\r",
      "\u202E",
      "中文",
      "⚠️",
      "[a](b)",
      "\t",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 12, max: 80 }), (pieces, width) => {
      const stream = new MarkdownStream(() => width);
      const cut = pieces.flatMap((text) => [...stream.write(text), ...(stream.tail(), [])]);
      const rows = [...cut, ...stream.end()];
      for (const row of rows) {
        expect(withoutStyles(row)).toMatch(/^[│┆](?: |$)/);
        // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
        expect(withoutStyles(row)).not.toMatch(/[\u0000-\u001F\u007F\u202E]/);
        expect(styledColumns(row)).toBeLessThanOrEqual(width);
      }
      const whole = new MarkdownStream(() => width);
      expect(rows).toEqual([...whole.write(pieces.join("")), ...whole.end()]);
    }),
  );
});
