import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.js";

test("reads the same values as JSON.parse", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(3), (text, indent) => {
      const value: unknown = JSON.parse(text);
      expect(readJson(JSON.stringify(value, undefined, indent))).toMatchObject({ ok: true, value });
    }),
  );
});

test("refuses the texts that JSON.parse refuses, without throwing", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"b"',
    '"',
    "\\",
    "1",
    "-",
    ".5",
    "e3",
    "01",
    "true",
    "nul",
    " ",
    "\n",
    "/",
    "\u0001",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const reading = readJson(text);
      fc.pre(reading.ok || !reading.what.endsWith("twice"));
      expect(reading.ok ? { value: reading.value } : undefined).toEqual(parsed(text));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 100) },
  );
});

test("refuses a key that occurs twice", () => {
  expect(readJson(`{\n"deny": "a",\n"deny": "b"\n}`)).toEqual({
    ok: false,
    line: 3,
    what: `"deny" is there twice`,
  });
});

test("answers on endless nesting", () => {
  expect(readJson("[".repeat(1_000_000))).toEqual({ ok: false, line: 1, what: "it is nested too deep" });
});

test("reads a field named __proto__ as a plain field", () => {
  const reading = readJson(`{"__proto__": {"rules": []}}`);
  expect(reading.ok && Object.keys(reading.value as object)).toEqual(["__proto__"]);
});

test("gives each value its line number, with any kind of line end", () => {
  const text = ["{", `"a": [`, "1,", `{ "b":`, "2 }", "]", "}"];
  for (const end of ["\n", "\r\n", "\r"]) {
    const reading = readJson(text.join(end));
    if (!reading.ok) throw new Error(reading.what);
    expect([[], ["a"], ["a", 0], ["a", 1], ["a", 1, "b"], ["a", 1, "none"]].map(reading.lineOf)).toEqual([
      1, 2, 3, 4, 4, 4,
    ]);
  }
});

test("reads a large file with a mistake in each rule in bounded time", () => {
  const reading = readJson(`[${"\n{},".repeat(200_000)}0]`);
  if (!reading.ok) throw new Error(reading.what);
  const start = process.cpuUsage();
  for (let index = 0; index < 200_000; index += 100) expect(reading.lineOf([index])).toBe(index + 2);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
});

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
