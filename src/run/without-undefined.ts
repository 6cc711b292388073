/**
 * An input as JSON would have it: a field that is undefined is no field. Whatever else is not plain JSON is
 * left as it is, for the gate to refuse. The same reference comes back when there is nothing to leave out.
 */

/** The gate refuses deeper values anyway. */
const MAX_LEVELS = 64;

export function withoutUndefined(input: unknown): unknown {
  // Reads each object once, however often it is referred to; a cycle ends.
  return stripped(input, new Map(), MAX_LEVELS);
}

function stripped(value: unknown, known: Map<object, unknown>, levels: number): unknown {
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (known.has(value)) return known.get(value);
  known.set(value, value);
  const result = Array.isArray(value)
    ? strippedItems(value, known, levels - 1)
    : Object.getPrototypeOf(value) === Object.prototype
      ? strippedFields(value, known, levels - 1)
      : value;
  known.set(value, result);
  return result;
}

function strippedItems(items: readonly unknown[], known: Map<object, unknown>, levels: number): unknown {
  const copies = items.map((item) => stripped(item, known, levels));
  return copies.some((copy, index) => copy !== items[index]) ? copies : items;
}

function strippedFields(fields: object, known: Map<object, unknown>, levels: number): unknown {
  const entries: [string, unknown][] = Object.entries(fields);
  const copies = entries
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [name, stripped(value, known, levels)]);
  const isSame =
    copies.length === entries.length && copies.every(([, copy], at) => copy === entries[at]?.[1]);
  // Defines own properties, also for `__proto__`.
  return isSame ? fields : Object.fromEntries(copies);
}
