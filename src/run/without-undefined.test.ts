import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plainJson } from "../call/index.js";
import { withoutUndefined } from "./without-undefined.js";

test("fields that are undefined are left out, at any depth, and nothing is changed in place", () => {
  const input = { a: 1, b: undefined, c: [{ d: undefined, e: { f: undefined } }] };
  expect(withoutUndefined(input)).toStrictEqual({ a: 1, c: [{ e: {} }] });
  expect(input).toStrictEqual({ a: 1, b: undefined, c: [{ d: undefined, e: { f: undefined } }] });
});

test("returns a value without undefined unchanged", () => {
  const date = new Date(0);
  for (const value of [1, "a", null, undefined, {}, { a: [1, { b: null }] }, date, new Map(), { date }])
    expect(withoutUndefined(value)).toBe(value);
});

test("circles and what is nested without end are left for the gate to refuse", () => {
  const circle: Record<string, unknown> = { gone: undefined };
  circle["self"] = circle;
  const result = withoutUndefined(circle);
  expect(plainJson(result)).not.toBe(result);
  // Each level refers twice to the next: read once per reference, this would never end.
  let shared: object = { gone: undefined };
  for (let level = 0; level < 60; level += 1) shared = { one: shared, two: shared };
  expect(withoutUndefined(shared) === shared).toBe(false);
});

test("gives what a JSON round trip gives", () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
      fc.array(tie("value")),
      fc.dictionary(fc.string(), fc.oneof(tie("value"), fc.constant(undefined)), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      expect(withoutUndefined(value)).toStrictEqual(
        JSON.parse(JSON.stringify(value, (_, inner: unknown) => (Object.is(inner, -0) ? 0 : inner))),
      );
    }),
  );
});
