/**
 * Arrays in PostgreSQL's binary format, which the driver sends as they are: its own text format escapes every quote of a
 * JSON text, and the server takes that apart again. Elements are bigint, int, text or bytea; only ints may be null.
 */
const OID = { bytea: 17, int8: 20, int4: 23, text: 25 } as const;

/** Dimensions, flag for nulls, type of the elements, count, lower bound. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const TWO_TO_32 = 4_294_967_296;

/** Whole numbers of up to 53 bits, as bigint[]. */
export function bigintArray(items: readonly number[]): Uint8Array {
  const array = withHeader(OID.int8, items.length, items.length * (LENGTH_BYTES + 8));
  let at = HEADER_BYTES;
  for (const item of items) {
    at = array.writeInt32BE(8, at);
    at = array.writeInt32BE(Math.floor(item / TWO_TO_32), at);
    at = array.writeUInt32BE(item % TWO_TO_32, at);
  }
  return array;
}

export function intArray(items: readonly (number | null)[]): Uint8Array {
  const nulls = items.filter((item) => item === null).length;
  const bytes = items.length * LENGTH_BYTES + (items.length - nulls) * 4;
  const array = withHeader(OID.int4, items.length, bytes, nulls > 0);
  let at = HEADER_BYTES;
  for (const item of items) {
    at = array.writeInt32BE(item === null ? -1 : 4, at);
    if (item !== null) at = array.writeInt32BE(item, at);
  }
  return array;
}

export function textArray(items: readonly string[]): Uint8Array {
  const lengths = items.map((item) => Buffer.byteLength(item));
  const array = withHeader(OID.text, items.length, sum(lengths) + items.length * LENGTH_BYTES);
  let at = HEADER_BYTES;
  for (const [index, item] of items.entries()) {
    at = array.writeInt32BE(lengths[index] ?? 0, at);
    at += array.write(item, at);
  }
  return array;
}

export function byteaArray(items: readonly Uint8Array[]): Uint8Array {
  const bytes = sum(items.map(({ length }) => length)) + items.length * LENGTH_BYTES;
  const array = withHeader(OID.bytea, items.length, bytes);
  let at = HEADER_BYTES;
  for (const item of items) {
    at = array.writeInt32BE(item.length, at);
    array.set(item, at);
    at += item.length;
  }
  return array;
}

function withHeader(oid: number, count: number, bytes: number, hasNulls = false): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  const header = [1, hasNulls ? 1 : 0, oid, count, 1];
  let at = 0;
  for (const word of header) at = array.writeInt32BE(word, at);
  return array;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
