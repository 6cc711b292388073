import { expect, test } from "vitest";
import { serverSchemaCheck } from "./server-schema-check.js";

test("checks a value against the schema", () => {
  const check = serverSchemaCheck({ type: "object", properties: { n: { type: "number" } } });
  expect(check?.({ n: 1 })).toEqual({ ok: true, input: { n: 1 } });
  expect(check?.({ n: "1" })).toEqual({ ok: false, problem: "data/n must be number" });
});

test("makes no check of a value that is no schema", () => {
  expect(serverSchemaCheck({ type: "objekt" })).toBeUndefined();
  expect(serverSchemaCheck({ $ref: "#/nowhere" })).toBeUndefined();
});

test("stops a pattern that takes too long, and does the next check", () => {
  const check = serverSchemaCheck({ type: "object", properties: { a: { pattern: "^(a+)+$" } } });
  expect(check?.({ a: `${"a".repeat(60)}!` })).toEqual({
    ok: false,
    problem: "it cannot be checked: the server's own schema takes too long on it",
  });
  expect(check?.({ a: "aaa" })).toEqual({ ok: true, input: { a: "aaa" } });
});
