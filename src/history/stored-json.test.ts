import * as fc from "fast-check";
import { expect, test } from "vitest";
import { frozen, jsonCopy } from "./stored-json.js";

const overText = (value: unknown): unknown => {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
};

/** The result of either way: a value, or that it cannot be written. */
function outcome(copy: () => unknown): unknown {
  try {
    return { value: copy() };
  } catch {
    return "cannot be written";
  }
}

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
});

test("copies any value as JSON would", () => {
  fc.assert(
    fc.property(anything, (value) => {
      expect(outcome(() => jsonCopy(value))).toEqual(outcome(() => overText(value)));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
  );
});

test("returns copies that cannot be changed and do not change with their originals", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = frozen(jsonCopy(value));
      expect(isFrozen(copy)).toBe(true);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    }),
  );
});

test("refuses a cycle and too deep values as JSON does", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = { cycle };
  expect(() => jsonCopy(cycle)).toThrow(/circular/i);
  let deep: unknown = "bottom";
  for (let depth = 0; depth < 1000; depth += 1) deep = { deep };
  expect(jsonCopy(deep)).toEqual(deep);
});

test("keeps a key named __proto__", () => {
  const copy = jsonCopy(JSON.parse('{"__proto__":{"polluted":1},"a":1}'));
  expect(Object.keys(Object(copy) as object)).toEqual(["__proto__", "a"]);
  expect((copy as { polluted?: number }).polluted).toBeUndefined();
});

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
