import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.js";

function read(chunks: readonly Buffer[], maxBytes: number) {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = new LineSplitter({
    maxBytes,
    onLine: (line) => void (line.toString().trim() !== "" && lines.push(line.toString())),
    onTooLong: () => void (tooLong += 1),
  });
  for (const chunk of chunks) reader.add(chunk);
  return { lines, tooLong };
}

test("drops a line that is too long and reads the next one", () => {
  expect(read([Buffer.from("one\nfar too long\n\n \ntwo\nunfinished")], 5)).toEqual({
    lines: ["one", "two"],
    tooLong: 1,
  });
});

test("gives the same lines however the bytes are cut", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\n", ""));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(7)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(""));
      const chunks: Buffer[] = [];
      let from = 0;
      for (const cut of [...cuts, bytes.length]) {
        chunks.push(bytes.subarray(from, from + cut));
        from += cut;
      }
      const short = lines.filter((one) => Buffer.byteLength(one) <= 20);
      expect(read(chunks, 20)).toEqual({
        lines: short.filter((one) => one.trim() !== ""),
        tooLong: lines.length - short.length,
      });
    }),
  );
});
