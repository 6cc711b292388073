import { expect, test } from "vitest";
import { qrCode } from "./qr-code.js";

/** Reads a code back as a scanner does: format, mask, codewords, then the bytes of each block. Nothing is corrected. */
function read(rows: readonly string[]): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const dark = (x: number, y: number): boolean => rows[y]?.[x] === "1";
  const format = [0, 1, 2, 3, 4, 5, 7, 8]
    .map((y) => dark(8, y))
    .concat([7, 5, 4, 3, 2, 1, 0].map((x) => dark(x, 8)));
  const bits = format.reduce((value, bit, index) => value | ((bit ? 1 : 0) << index), 0) ^ 0x5412;
  expect(bits >>> 13, "level M").toBe(0);
  const mask = (bits >>> 10) & 7;
  const stream: number[] = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let vertical = 0; vertical < size; vertical += 1)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - vertical : vertical;
        if (!isFunction(x, y, size, version)) stream.push(dark(x, y) !== inverts(mask, x, y) ? 1 : 0);
      }
  }
  const codewords = Array.from({ length: Math.floor(stream.length / 8) }, (_, index) =>
    stream.slice(8 * index, 8 * index + 8).reduce((value, bit) => (value << 1) | bit, 0),
  );
  const { blocks, ec } = BLOCKS[version - 1] ?? { blocks: 1, ec: 10 };
  const dataLength = codewords.length - blocks * ec;
  const short = Math.floor(dataLength / blocks);
  const parts = Array.from({ length: blocks }, (): number[] => []);
  let at = 0;
  for (let index = 0; index <= short; index += 1)
    for (const [number, part] of parts.entries())
      if (index < short || number >= blocks - (dataLength % blocks)) part.push(codewords[at++] ?? 0);
  const corrections = codewords.slice(at);
  for (const [number, part] of parts.entries()) {
    const own = corrections.filter((_, index) => index % blocks === number).slice(0, ec);
    expect(syndromes([...part, ...own], ec)).toEqual(own.map(() => 0));
  }
  const data = parts
    .flat()
    .flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >>> (7 - bit)) & 1));
  const take = (from: number, count: number): number =>
    data.slice(from, from + count).reduce((value, bit) => (value << 1) | bit, 0);
  expect(take(0, 4), "bytes").toBe(4);
  const width = version < 10 ? 8 : 16;
  const length = take(4, width);
  const bytes = Uint8Array.from({ length }, (_, index) => take(4 + width + 8 * index, 8));
  return new TextDecoder().decode(bytes);
}

/** The table of the standard for level M. */
const BLOCKS = [
  { blocks: 1, ec: 10 },
  { blocks: 1, ec: 16 },
  { blocks: 1, ec: 26 },
  { blocks: 2, ec: 18 },
  { blocks: 2, ec: 24 },
  { blocks: 4, ec: 16 },
  { blocks: 4, ec: 18 },
  { blocks: 4, ec: 22 },
  { blocks: 5, ec: 22 },
  { blocks: 5, ec: 26 },
];

/** The centres of the alignment patterns, from the table of the standard. */
const MARKS = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];

function isFunction(x: number, y: number, size: number, version: number): boolean {
  if (x === 6 || y === 6) return true;
  if ((x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)) return true;
  if (version >= 7 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11))) return true;
  const marks = MARKS[version - 1] ?? [];
  const last = marks.length - 1;
  return marks.some((my, row) =>
    marks.some(
      (mx, column) =>
        !((row === 0 && (column === 0 || column === last)) || (row === last && column === 0)) &&
        Math.abs(x - mx) <= 2 &&
        Math.abs(y - my) <= 2,
    ),
  );
}

function inverts(mask: number, x: number, y: number): boolean {
  const product = x * y;
  return (
    [
      (x + y) % 2 === 0,
      y % 2 === 0,
      x % 3 === 0,
      (x + y) % 3 === 0,
      (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
      (product % 2) + (product % 3) === 0,
      ((product % 2) + (product % 3)) % 2 === 0,
      (((x + y) % 2) + (product % 3)) % 2 === 0,
    ][mask] === true
  );
}

test.each([1, 14, 15, 40, 62, 85, 107, 123, 150, 180, 210])("a code of %i bytes is read back", (length) => {
  const text = "https://desk.example:4320/login#K7QF-2M9X-TT43 ".repeat(5).slice(0, length);
  expect(read(qrCode(text))).toBe(text);
});

test("refuses a text that is too long", () => {
  expect(qrCode("x")[0]).toHaveLength(21);
  expect(() => qrCode("x".repeat(300))).toThrow(RangeError);
});

/** Powers of 2 in the field of the standard. */
const POWERS = [1];
while (POWERS.length < 255) {
  const next = (POWERS.at(-1) ?? 1) << 1;
  POWERS.push(next > 255 ? next ^ 0x11d : next);
}

const product = (one: number, other: number): number =>
  one === 0 || other === 0 ? 0 : (POWERS[(POWERS.indexOf(one) + POWERS.indexOf(other)) % 255] ?? 0);

/** A block is without error where its polynomial is zero at each of the first powers. */
const syndromes = (block: readonly number[], count: number): readonly number[] =>
  POWERS.slice(0, count).map((root) => block.reduce((sum, byte) => product(sum, root) ^ byte, 0));
