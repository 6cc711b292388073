import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plainJson, type PlainJsonLimits } from "./plain-json.js";

const MIB = 1_048_576;
const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 40);
/** The short mode takes every fifth limit, beginning at a random one. */
const EVERY = process.env["TOOLGATE_LONG"] ? 1 : 5;
const SEED = fc.readConfigureGlobal().seed ?? Date.now();

function throwing(reason: unknown): never {
  throw reason;
}

function nested(levels: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

/** The promises to every caller that are broken for this value: none, we hope. */
function brokenPromises(value: unknown, limits?: PlainJsonLimits): string[] {
  const result = plainJson(value, limits);
  const text = JSON.stringify(result);
  const most = Math.max(64, limits?.maxCharacters ?? MIB);
  return [
    isSame(JSON.parse(text), result) ? "" : "what is read is not what was written",
    text.length <= most ? "" : `${text.length} characters of ${most}`,
    /\\ud[89a-f]/.test(text) ? "half a surrogate pair" : "",
    plainJson(result, limits) === result ? "" : "a second pass changes it",
  ].filter((fault) => fault !== "");
}

/** Sterner than toStrictEqual, which is also misled by a field named `constructor`. */
function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return Object.is(left, right);
  const names = Reflect.ownKeys(left);
  return (
    Object.getPrototypeOf(left) === Object.getPrototypeOf(right) &&
    names.length === Reflect.ownKeys(right).length &&
    names.every(
      (name) => Object.hasOwn(right, name) && isSame(Reflect.get(left, name), Reflect.get(right, name)),
    )
  );
}

function safe(value: unknown, limits?: PlainJsonLimits): unknown {
  expect(brokenPromises(value, limits)).toEqual([]);
  return plainJson(value, limits);
}

const deepFrozen = Object.freeze({
  list: Object.freeze([1, Object.freeze({ deep: "é😀\n" })]),
  nothing: null,
});

test.each([
  ["a string", "text"],
  ["a number", -1.5e-7],
  ["a boolean", false],
  ["null", null],
  ["an empty object", {}],
  ["an empty array", []],
  ["a message", { jsonrpc: "2.0", id: 1, params: { list: [1, "two", { three: true }] } }],
  ["a frozen value", deepFrozen],
  ["a value with a field named __proto__", JSON.parse('{"__proto__":{"a":1}}')],
  ["a value with a toJSON that is only data", { toJSON: "yes" }],
  ["64 levels", nested(64)],
  ["ten thousand items", Array.from({ length: 10_000 }, (_, index) => index)],
  ["a string of exactly one MiB as JSON", "x".repeat(MIB - 2)],
])("%s that is plain already comes back as the same reference", (_what, value) => {
  expect(plainJson(value)).toBe(value);
});

test.each<[string, unknown, unknown]>([
  ["undefined", undefined, null],
  ["a function", () => 1, null],
  ["a symbol", Symbol("s"), null],
  ["a BigInt", 12345678901234567890n, "12345678901234567890"],
  ["NaN", Number.NaN, "NaN"],
  ["infinity", [Infinity, -Infinity], ["Infinity", "-Infinity"]],
  ["minus zero", { zero: -0 }, { zero: 0 }],
  ["what JSON leaves out", { a: undefined, b: () => 1, c: Symbol("s"), d: 1 }, { d: 1 }],
  ["what JSON makes null", [undefined, () => 1, Symbol("s"), 1], [null, null, null, 1]],
  ["a field under a symbol", { [Symbol("s")]: 1, a: 1 }, { a: 1 }],
  // oxlint-disable-next-line no-sparse-arrays -- the hole is what is tested
  ["a list with a hole", [1, , 3], [1, null, 3]],
  ["a list with extra fields", "abc".match(/b/), ["b"]],
  ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
  ["a date that is none", new Date(Number.NaN), "Invalid Date"],
  ["a map with names", new Map([["a", new Set([1])]]), { a: [1] }],
  ["a map with other keys", new Map<unknown, unknown>([[1, "one"]]), [[1, "one"]]],
  ["a set", new Set(["a", 1n]), ["a", "1"]],
  ["bytes", new Uint8Array(5), "[binary, 5 bytes]"],
  ["a buffer, though it has a toJSON", { data: Buffer.from("abc") }, { data: "[binary, 3 bytes]" }],
  ["an array buffer", new ArrayBuffer(7), "[binary, 7 bytes]"],
  ["boxed values", [Object("s"), Object(1), Object(true), Object(1n)], ["s", 1, true, "1"]],
  [
    "a class instance",
    new (class Point {
      readonly x = 1;
    })(),
    { x: 1 },
  ],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ["a URL, which has a toJSON", { url: new URL("https://example.org/") }, { url: "https://example.org/" }],
  [
    "a toJSON that answers with itself",
    {
      a: 1,
      toJSON(): unknown {
        return this;
      },
    },
    { a: 1 },
  ],
  ["a toJSON that answers with a date", { toJSON: () => new Date(0) }, "1970-01-01T00:00:00.000Z"],
  ["a toJSON that answers with its name", { field: { toJSON: (name: string) => name } }, { field: "field" }],
  ["a hidden toJSON", Object.defineProperty({ a: 1 }, "toJSON", { value: () => "converted" }), "converted"],
  ["half a surrogate pair", { "a\uD83D": "\uDE00b" }, { "a\uFFFD": "\uFFFDb" }],
])("%s becomes plain", (_what, value, expected) => {
  expect(safe(value)).toStrictEqual(expected);
});

test("keeps an error's name, message, cause and own fields, without its stack", () => {
  const error = Object.assign(new TypeError("no", { cause: new Error("why") }), { code: "E_NO" });
  expect(safe({ error })).toStrictEqual({
    error: { name: "TypeError", message: "no", cause: { name: "Error", message: "why" }, code: "E_NO" },
  });
});

test("replaces a cycle by a note, but not a value that occurs twice", () => {
  const shared = { a: 1 };
  const value: Record<string, unknown> = { first: shared, second: shared };
  value["self"] = value;
  expect(safe(value)).toStrictEqual({ first: { a: 1 }, second: { a: 1 }, self: "[circular]" });
});

test("turns an unreadable field into a note and keeps the others", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const value = {
    ok: 1,
    get getter() {
      return throwing(new Error("locked"));
    },
    converted: { toJSON: () => throwing("no JSON") },
    worse: { toJSON: () => throwing(Object.create(null)) },
    proxy: new Proxy({}, { ownKeys: () => throwing(new Error("no keys")) }),
    fake: Object.create(Map.prototype),
  };
  expect(safe(value)).toMatchObject({
    ok: 1,
    getter: "[unreadable: locked]",
    converted: "[unreadable: no JSON]",
    worse: "[unreadable: no reason given]",
    proxy: "[unreadable: no keys]",
    fake: expect.stringMatching(/^\[unreadable: .*Map/),
  });
  expect(safe({ gone: revoked.proxy })).toEqual({
    gone: expect.stringMatching(/^\[unreadable: .*revoked/),
  });
});

test("reads a getter once, so that it cannot return another value later", () => {
  let reads = 0;
  const value = {
    get count() {
      return ++reads;
    },
  };
  const result = plainJson(value);
  expect([JSON.stringify(result), JSON.stringify(result)]).toEqual(['{"count":1}', '{"count":1}']);
});

test("stops at an object that grows with each read", () => {
  const grow = (): unknown => ({ toJSON: () => ({ more: grow() }) });
  expect(JSON.stringify(safe(grow()))).toContain("[more than 64 levels deep]");
});

test("turns values below the depth limit into a note", () => {
  expect(JSON.stringify(safe(nested(65)))).toContain('["[more than 64 levels deep]"]');
  expect(safe({ a: { b: { c: 1 } } }, { maxDepth: 2 })).toEqual({
    a: { b: "[more than 2 levels deep]" },
  });
  expect(JSON.stringify(safe(nested(100_000)))).toContain("levels deep");
});

test("keeps the beginning and the end of a huge string", () => {
  const text = safe(`first ${"x".repeat(5 * MIB)} last`);
  expect(text).toMatch(/^first x+… \d+ characters left out …x+ last$/);
});

test("cuts a huge string so that the small fields around it stay", () => {
  const value = { before: 1, output: "é".repeat(3 * MIB), after: { code: 0 } };
  expect(safe(value)).toEqual({
    before: 1,
    output: expect.stringMatching(/^é+… \d+ characters left out …é+$/),
    after: { code: 0 },
  });
});

test("cuts a string between characters and notes how much is missing", () => {
  const whole = `x${"😀".repeat(10_000)}`;
  for (let maxCharacters = 4_000; maxCharacters < 4_200; maxCharacters += 16) {
    const text = String(safe(whole, { maxCharacters }));
    const missing = Number(/… (\d+) characters left out …/.exec(text)?.[1]);
    expect(text).not.toContain("\uFFFD");
    expect(text.replace(/… \d+ characters left out …/, "")).toHaveLength(whole.length - missing);
  }
});

test("counts every character as JSON writes it", () => {
  for (let code = 0; code < 0x100; code++) {
    const text = String.fromCharCode(code).repeat(100);
    const maxCharacters = JSON.stringify(text).length;
    expect(plainJson(text, { maxCharacters })).toBe(text);
    expect(safe(text, { maxCharacters: maxCharacters - 1 })).not.toBe(text);
  }
});

test("holds the size limit whatever value comes next", () => {
  const parts = [
    -1.2345678901234567e-100,
    false,
    null,
    undefined,
    "text",
    [1],
    { a: 1 },
    1n,
    new Date(0),
    {},
  ];
  for (const part of parts) {
    const list = Array.from({ length: 50 }, () => part);
    const object = Object.fromEntries(list.map((item, index) => [`${index}`.repeat(index % 9), item]));
    for (let maxCharacters = SEED % EVERY; maxCharacters < 400; maxCharacters += EVERY) {
      const broken = [list, object, [[object]]].flatMap((value) => brokenPromises(value, { maxCharacters }));
      expect(broken).toEqual([]);
    }
  }
});

test("keeps the beginning of a huge list and object and notes what is missing", () => {
  const list = Array.from({ length: 25_000 }, (_, index) => index);
  const items = safe(list);
  expect(items).toHaveLength(10_000);
  expect(items).toEqual([...list.slice(0, 9_999), "… 15001 items left out …"]);
  const fields = safe({ a: 1, b: 2, c: 3, d: 4 }, { maxItems: 3 });
  expect(fields).toEqual({ a: 1, b: 2, "…": "2 fields left out" });
});

test("uses the singular for one", () => {
  expect(safe({ bytes: new Uint8Array(1), deep: {} }, { maxDepth: 1 })).toEqual({
    bytes: "[binary, 1 byte]",
    deep: "[more than 1 level deep]",
  });
});

test("cuts many long lines at the end of the list instead of each to nothing", () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${"x".repeat(1_000)}`);
  const result = safe({ lines });
  expect(result).toEqual({ lines: expect.arrayContaining(lines.slice(0, 1_000)) });
  expect(JSON.stringify(result)).toMatch(/"… \d+ items left out …"\]\}$/);
});

test("bounds a small value that would be a million times as long in JSON", () => {
  let value: unknown = "leaf";
  for (let level = 0; level < 40; level++) value = { left: value, right: value };
  expect(brokenPromises(value)).toEqual([]);
});

test("keeps a field named __proto__", () => {
  const result = safe(
    JSON.parse('{"__proto__":{"polluted":true},"big":null}', (key, value) => (key === "big" ? 1n : value)),
  );
  expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true},"big":"1"}');
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
});

test("never changes the given value", () => {
  const inner = Object.freeze({ when: new Date(0), text: "\uD800" });
  const value = Object.freeze({ inner, list: Object.freeze([undefined, 1n]) });
  safe(value);
  expect(value).toEqual({ inner: { when: new Date(0), text: "\uD800" }, list: [undefined, 1n] });
});

const anything = fc.anything({
  key: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "toJSON", "constructor", "…")),
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: false,
});
const illFormed = fc
  .array(fc.constantFrom("\uD83D", "\uDE00", "😀", '"', "\\", "\n", "\u0001", "x", "é"), { maxLength: 400 })
  .map((pieces) => pieces.join(""));
const value = fc.oneof(
  anything,
  fc.array(fc.oneof(anything, illFormed)),
  fc.dictionary(illFormed, fc.oneof(anything, illFormed)),
);

test("makes a safe result of any value", () => {
  fc.assert(
    fc.property(value, (any) => {
      expect(brokenPromises(any)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("makes a safe result within any limits of any value", () => {
  const limits = fc.record({ maxCharacters: fc.nat(600), maxDepth: fc.nat(4), maxItems: fc.nat(6) });
  fc.assert(
    fc.property(value, limits, (any, some) => {
      expect(brokenPromises(any, some)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("changes no value that JSON can hold", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (any) => {
      const parsed: unknown = JSON.parse(JSON.stringify(any));
      expect(plainJson(parsed)).toBe(parsed);
    }),
  );
});
