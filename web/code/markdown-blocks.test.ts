import * as fc from "fast-check";
import { expect, test } from "vitest";
import { growBlocks, NO_BLOCKS } from "./markdown-blocks.js";

const raws = (text: string): readonly string[] => growBlocks(NO_BLOCKS, text).blocks.map(({ raw }) => raw);

test("keeps finished blocks as they are while the text grows", () => {
  const first = growBlocks(NO_BLOCKS, "# One\n\nTwo.\n\nThree.\n\n- four\n");
  const grown = growBlocks(first, "# One\n\nTwo.\n\nThree.\n\n- four\n- five\n");
  expect(grown.blocks[0]).toBe(first.blocks[0]);
  expect(grown.blocks.map(({ raw }) => raw)).toEqual(raws(grown.text));
});

test("reads a text that grew like one that came at once", () => {
  const piece = fc.constantFrom(
    "# a\n",
    "word ",
    "\n",
    "\n\n",
    "- item\n",
    "```ts\nx\n```\n",
    "`code` ",
    "> quote\n",
    "1. one\n",
    "**b**",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      let blocks = NO_BLOCKS;
      let text = "";
      for (const one of pieces) {
        text += one;
        blocks = growBlocks(blocks, text);
      }
      expect(blocks.blocks.map(({ raw }) => raw).join("")).toBe(raws(text).join(""));
    }),
  );
});

test("reads a text that is not the continuation from its start", () => {
  const before = growBlocks(NO_BLOCKS, "a\n\nb\n\nc\n\nd");
  expect(growBlocks(before, "other").blocks.map(({ raw }) => raw)).toEqual(["other"]);
});

test.each([
  ["quotes", `${">".repeat(1_000)} end`],
  ["lists", Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- end`).join("\n")],
  ["emphasis", `${"**".repeat(1_000)}end${"**".repeat(1_000)}`],
])("nests %s to a limit, and keeps the text below", (_, text) => {
  const [block] = growBlocks(NO_BLOCKS, text).blocks;
  expect(block?.raw).toBe(text);
  // A quote or an item and its list are two levels of the value.
  expect(depthOf(block?.token)).toBeLessThan(100);
  expect(JSON.stringify(block?.token)).toContain("end");
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
