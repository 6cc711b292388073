/**
 * QR codes of short texts (ISO/IEC 18004): bytes, error correction M, versions 1 to 10. Rows of 0 and 1, without the quiet
 * zone of four modules that a reader needs around them.
 */

/** For versions 1 to 10 at level M. */
const EC_PER_BLOCK = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26] as const;
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5] as const;
/** Format bits of level M. */
const LEVEL = 0;

export function qrCode(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const version = EC_PER_BLOCK.findIndex((_, index) => bytes.length <= capacity(index + 1)) + 1;
  if (version === 0) throw new RangeError(`A QR code of ${bytes.length} bytes is too large. None was made.`);
  const codewords = withCorrection(dataCodewords(bytes, version), version);
  const masked = [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => new Modules(version).draw(codewords, mask));
  const best = masked.reduce((one, other) => (other.penalty() < one.penalty() ? other : one));
  return best.rows();
}

const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

const capacity = (version: number): number => dataCount(version) - Math.ceil((4 + lengthBits(version)) / 8);

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

const at = (list: readonly number[], index: number): number => list[index] ?? 0;

function totalCount(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const marks = Math.floor(version / 7) + 2;
    modules -= (25 * marks - 10) * marks - 55;
    if (version >= 7) modules -= 36;
  }
  return Math.floor(modules / 8);
}

const dataCount = (version: number): number =>
  totalCount(version) - at(EC_PER_BLOCK, version - 1) * at(BLOCKS, version - 1);

function dataCodewords(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  push(4, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const count = dataCount(version);
  push(0, Math.min(4, count * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const codewords = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(8 * index, 8 * index + 8).reduce((value, bit) => (value << 1) | bit, 0),
  );
  for (let pad = 0xec; codewords.length < count; pad ^= 0xec ^ 0x11) codewords.push(pad);
  return codewords;
}

function withCorrection(data: readonly number[], version: number): number[] {
  const [blocks, ecLength] = [at(BLOCKS, version - 1), at(EC_PER_BLOCK, version - 1)];
  const shortLength = Math.floor(data.length / blocks);
  const longBlocks = data.length % blocks;
  const divisor = generator(ecLength);
  let from = 0;
  const parts = Array.from({ length: blocks }, (_, index) => {
    const length = shortLength + (index < blocks - longBlocks ? 0 : 1);
    const block = data.slice(from, from + length);
    from += length;
    return { block, correction: remainder(block, divisor) };
  });
  const interleaved = (pick: (part: (typeof parts)[number]) => readonly number[], length: number) =>
    Array.from({ length }, (_, index) => parts.flatMap((part) => pick(part).slice(index, index + 1))).flat();
  return [
    ...interleaved(({ block }) => block, shortLength + 1),
    ...interleaved(({ correction }) => correction, ecLength),
  ];
}

/** In the field of 256 elements with the polynomial 0x11d. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((other >>> bit) & 1) * one;
  }
  return product;
}

function generator(degree: number): number[] {
  const result = [...zeros(degree - 1), 1];
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let index = 0; index < degree; index += 1)
      result[index] = multiply(at(result, index), root) ^ at(result, index + 1);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(block: readonly number[], divisor: readonly number[]): number[] {
  const result = zeros(divisor.length);
  for (const byte of block) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    for (const [index, coefficient] of divisor.entries())
      result[index] = at(result, index) ^ multiply(coefficient, factor);
  }
  return result;
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Modules {
  readonly #version: number;
  readonly #size: number;
  readonly #dark: boolean[][];
  readonly #isFixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = version * 4 + 17;
    const row = () => zeros(this.#size).map(() => false);
    const grid = () => Array.from({ length: this.#size }, row);
    this.#dark = grid();
    this.#isFixed = grid();
  }

  draw(codewords: readonly number[], mask: number): this {
    this.#drawPatterns();
    this.#drawFormat(mask);
    this.#drawCodewords(codewords);
    this.#applyMask(mask);
    return this;
  }

  rows(): string[] {
    return this.#dark.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""));
  }

  #set(x: number, y: number, isDark: boolean): void {
    const [row, fixed] = [this.#dark[y], this.#isFixed[y]];
    if (!row || !fixed || x < 0 || x >= this.#size) return;
    row[x] = isDark;
    fixed[x] = true;
  }

  #isDark(x: number, y: number): boolean {
    return this.#dark[y]?.[x] ?? false;
  }

  #drawPatterns(): void {
    const size = this.#size;
    for (let index = 0; index < size; index += 1) {
      this.#set(6, index, index % 2 === 0);
      this.#set(index, 6, index % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const)
      this.#drawSquare(x, y, 4, (distance) => distance !== 2 && distance !== 4);
    const marks = this.#alignment();
    const last = marks.length - 1;
    for (const [row, y] of marks.entries())
      for (const [column, x] of marks.entries()) {
        const isFinder =
          (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0);
        if (!isFinder) this.#drawSquare(x, y, 2, (distance) => distance !== 1);
      }
    this.#drawVersion();
  }

  #drawSquare(x: number, y: number, reach: number, isDark: (distance: number) => boolean): void {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1)
        this.#set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  #alignment(): number[] {
    if (this.#version === 1) return [];
    const count = Math.floor(this.#version / 7) + 2;
    const step = Math.ceil((this.#version * 4 + 4) / (count * 2 - 2)) * 2;
    return [
      6,
      ...Array.from({ length: count - 1 }, (_, index) => this.#size - 7 - step * (count - 2 - index)),
    ];
  }

  #drawFormat(mask: number): void {
    const data = (LEVEL << 3) | mask;
    let rest = data;
    for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (index: number): boolean => ((bits >>> index) & 1) === 1;
    for (let index = 0; index <= 5; index += 1) this.#set(8, index, bit(index));
    this.#set(8, 7, bit(6));
    this.#set(8, 8, bit(7));
    this.#set(7, 8, bit(8));
    for (let index = 9; index < 15; index += 1) this.#set(14 - index, 8, bit(index));
    for (let index = 0; index < 8; index += 1) this.#set(this.#size - 1 - index, 8, bit(index));
    for (let index = 8; index < 15; index += 1) this.#set(8, this.#size - 15 + index, bit(index));
    this.#set(8, this.#size - 8, true);
  }

  #drawVersion(): void {
    if (this.#version < 7) return;
    let rest = this.#version;
    for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (this.#version << 12) | rest;
    for (let index = 0; index < 18; index += 1) {
      const isDark = ((bits >>> index) & 1) === 1;
      const [far, near] = [this.#size - 11 + (index % 3), Math.floor(index / 3)];
      this.#set(far, near, isDark);
      this.#set(near, far, isDark);
    }
  }

  /** In columns of two from the right, up and down in turn, without the column of the timing pattern. */
  #drawCodewords(codewords: readonly number[]): void {
    let index = 0;
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let vertical = 0; vertical < this.#size; vertical += 1)
        for (const x of [right, right - 1]) {
          const isUp = ((right + 1) & 2) === 0;
          const y = isUp ? this.#size - 1 - vertical : vertical;
          const row = this.#dark[y];
          if (!row || this.#isFixed[y]?.[x] || index >= codewords.length * 8) continue;
          row[x] = ((at(codewords, index >>> 3) >>> (7 - (index & 7))) & 1) === 1;
          index += 1;
        }
    }
  }

  #applyMask(mask: number): void {
    const inverts = MASKS[mask];
    for (const [y, row] of this.#dark.entries())
      for (const [x, isDark] of row.entries())
        if (!this.#isFixed[y]?.[x] && inverts?.(x, y)) row[x] = !isDark;
  }

  /** Runs of one colour, blocks of two by two, and how far the dark share is from a half. */
  penalty(): number {
    let penalty = 0;
    let dark = 0;
    const size = this.#size;
    for (let line = 0; line < size; line += 1) {
      penalty +=
        this.#runs((index) => this.#isDark(index, line)) + this.#runs((index) => this.#isDark(line, index));
      for (let x = 0; x < size; x += 1) {
        const colour = this.#isDark(x, line);
        if (colour) dark += 1;
        const isBlock =
          x + 1 < size &&
          line + 1 < size &&
          [this.#isDark(x + 1, line), this.#isDark(x, line + 1), this.#isDark(x + 1, line + 1)].every(
            (other) => other === colour,
          );
        if (isBlock) penalty += 3;
      }
    }
    return penalty + 10 * Math.floor(Math.abs((20 * dark) / (size * size) - 10));
  }

  #runs(isDark: (index: number) => boolean): number {
    let penalty = 0;
    let length = 0;
    for (let index = 0; index < this.#size; index += 1) {
      length = index > 0 && isDark(index) === isDark(index - 1) ? length + 1 : 1;
      if (length === 5) penalty += 3;
      else if (length > 5) penalty += 1;
    }
    return penalty;
  }
}
