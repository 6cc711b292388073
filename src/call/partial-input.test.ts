import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  completeFields,
  fieldCount,
  inputText,
  NO_INPUT,
  type PartialInput,
  readMore,
  upToDate,
} from "./partial-input.js";

const readAll = (fragments: readonly string[]): PartialInput =>
  upToDate(fragments.reduce(readMore, NO_INPUT));
const read = (...fragments: string[]) => readAll(fragments);
const readByUnit = (text: string) => readAll(text.split(""));
const fieldsOf = (...fragments: string[]) => completeFields(read(...fragments));

test("returns a field as soon as the comma after it has arrived", () => {
  expect(fieldsOf('{"path":"/a"')).toEqual({});
  expect(fieldsOf('{"path":"/a",')).toEqual({ path: "/a" });
  expect(fieldsOf('{"path":"/a","line":12}')).toEqual({ path: "/a", line: 12 });
});

test("does not return a number that may continue", () => {
  expect(fieldsOf('{"line":12')).toEqual({});
  expect(fieldsOf('{"line":12', "3", "}")).toEqual({ line: 123 });
});

test.each([
  ["a string", '{"a":1,"b":"hal'],
  ["a string that ends in an escape", '{"a":1,"b":"half\\'],
  ["an array", '{"a":1,"b":[1,2,{"c":3}'],
  ["an object", '{"a":1,"b":{"c":3,"d":4'],
  ["a name", '{"a":1,"b'],
  ["a word", '{"a":1,"b":tru'],
])("does not return half of %s", (_what, text) => {
  expect(fieldsOf(text)).toEqual({ a: 1 });
});

test("commas, braces and escaped quotes inside a string do not end the field", () => {
  const value = 'a, } ] [ { " \\ \\" é 😀 \n';
  const text = JSON.stringify({ [value]: value, last: 1 });
  expect(completeFields(readByUnit(text))).toEqual({ [value]: value, last: 1 });
});

test("reads an empty object as complete and without fields", () => {
  const reading = read(" {", " \n", "} ");
  expect(completeFields(reading)).toEqual({});
  expect(reading.stage).toBe("closed");
});

test.each(["[1,2]", '"text"', "12", "null", "\uFEFF{}", '\u00a0{"a":1}'])(
  "%j is not an object, so it has no fields, but its text is kept",
  (text) => {
    const reading = readMore(readByUnit(text), ', {"a":1}');
    expect(fieldCount(reading)).toBe(0);
    expect(completeFields(reading)).toEqual({});
    expect(inputText(reading)).toBe(`${text}, {"a":1}`);
  },
);

test.each([
  ["a missing comma", '{"a":1,"b":2 "c":3,"d":4}'],
  ["a word that is none", '{"a":1,"b":maybe,"d":4}'],
  ["two commas", '{"a":1,,"d":4}'],
  ["a comma before the end", '{"a":1,}'],
  ["a wrong bracket inside", '{"a":1,"b":[},"d":4}'],
  ["a wrong bracket at the end", '{"a":1,"b":2],"d":4}'],
  ["a line break in a string", '{"a":1,"b":"\n","d":4}'],
  ["a value without a name", '{"a":1,2,"d":4}'],
  ["a bad escape", '{"a":1,"b":"\\x","d":4}'],
])("returns nothing more after %s, and keeps the complete fields", (_what, text) => {
  for (const reading of [read(text), readByUnit(text)]) {
    expect(completeFields(reading)).toEqual({ a: 1 });
    expect(inputText(reading)).toBe(text);
    expect(reading.stage).toBe("broken");
  }
});

test("stops at a comma before the first field", () => {
  expect(fieldsOf('{,"a":1}')).toEqual({});
});

test("reads nothing after the closing brace", () => {
  expect(fieldsOf('{"a":1}', ',"b":2}', '{"c":3}')).toEqual({ a: 1 });
});

test("takes the last of two fields with one name", () => {
  const text = '{"a":1,"b":2,"a":3}';
  expect(JSON.stringify(fieldsOf(text))).toBe('{"a":3,"b":2}');
  expect(fieldCount(read(text))).toBe(3);
});

test("reads a field named __proto__ as a plain field", () => {
  const fields = fieldsOf('{"__proto__":{"polluted":true},"constructor":1}');
  expect(Object.keys(fields)).toEqual(["__proto__", "constructor"]);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  expect(fields["polluted"]).toBeUndefined();
});

test("leaves a partial input unchanged when more text is read from it", () => {
  const first = Object.freeze(read('{"a":1,"b":'));
  expect(completeFields(readMore(first, "2}"))).toEqual({ a: 1, b: 2 });
  expect(completeFields(readMore(first, "3}"))).toEqual({ a: 1, b: 3 });
  expect(completeFields(first)).toEqual({ a: 1 });
  expect(readMore(first, "")).toBe(first);
});

test("reads a hundred thousand open brackets without overflowing", () => {
  const deep = 100_000;
  const half = read('{"a":1,"deep":', "[".repeat(deep));
  expect(completeFields(half)).toEqual({ a: 1 });
  const whole = readMore(half, `${"]".repeat(deep)},"z":2}`);
  expect(completeFields(whole)["a"]).toBe(1);
  expect(["closed", "broken"]).toContain(whole.stage);
});

test("reads a hundred thousand fields in linear time, one character at a time", () => {
  let text = "{";
  for (let index = 0; index < 100_000; index++) text += `${index === 0 ? "" : ","}"${index}":0`;
  text += "}";
  const reading = readByUnit(text);
  expect(fieldCount(reading)).toBe(100_000);
  expect(Object.keys(completeFields(reading))).toHaveLength(100_000);
  expect(reading.steps).toBeLessThanOrEqual(3 * text.length);
});

test("reads a long string in linear time, one character at a time", () => {
  const text = JSON.stringify({ content: 'line "quoted"\n'.repeat(20_000) });
  const reading = readByUnit(text);
  expect(completeFields(reading)).toEqual(JSON.parse(text));
  expect(reading.steps).toBeLessThanOrEqual(3 * text.length);
});

const name = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("__proto__", "constructor", "toJSON", "", "1", '"'),
);
const objectText = fc
  .tuple(fc.dictionary(name, fc.jsonValue({ stringUnit: "binary" })), fc.constantFrom(undefined, 2, "\t"))
  .map(([object, space]) => JSON.stringify(object, undefined, space));
const cuts = fc.array(fc.nat(), { maxLength: 30 });

function cutAt(text: string, places: readonly number[]): string[] {
  const ends = places.map((place) => place % (text.length + 1)).sort((left, right) => left - right);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

test("returns what JSON.parse returns once the closing brace is there", () => {
  fc.assert(
    fc.property(objectText, cuts, (text, places) => {
      // Compared as text: this also compares the order, and sees an own `__proto__`.
      expect(JSON.stringify(fieldsOf(...cutAt(text, places)))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("returns only fields of the final input, with their final values, at every moment", () => {
  fc.assert(
    fc.property(objectText, (text) => {
      const final = new Map(
        Object.entries<unknown>(JSON.parse(text)).map(([key, value]) => [key, JSON.stringify(value)]),
      );
      let reading = NO_INPUT;
      for (const unit of text.split("")) {
        reading = readMore(reading, unit);
        const fields = Object.entries(completeFields(reading));
        const isFinal = fields.every(([key, value]) => JSON.stringify(value) === final.get(key));
        expect([fields.length, isFinal]).toEqual([fieldCount(reading), true]);
      }
    }),
  );
});

const almostJson = fc
  .array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", '"a":1', '"b":"x"', "1", " ", "tru", "\n"))
  .map((pieces) => `{"a":0,${pieces.join("")}`);

test("gives the same fields however the text was cut, in valid and in malformed input", () => {
  fc.assert(
    fc.property(fc.oneof(objectText, almostJson, fc.string()), cuts, (text, places) => {
      expect(read(...cutAt(text, places))).toEqual(read(text));
    }),
  );
});

test("throws on no input, keeps the text and costs linear time", () => {
  fc.assert(
    fc.property(fc.oneof(objectText, almostJson, fc.string()), cuts, (text, places) => {
      const reading = read(...cutAt(text, places));
      expect(inputText(reading)).toBe(text);
      expect(reading.steps).toBeLessThanOrEqual(3 * text.length + 8);
    }),
  );
});

test("never returns a field of malformed input that a lenient reader would have to guess", () => {
  fc.assert(
    fc.property(almostJson, (text) => {
      const reading = read(text);
      const isWhole = reading.stage === "closed";
      // Closed means: the text up to that brace is sound JSON, with these fields.
      const upToBrace = text
        .split("")
        .map((_, at) => text.slice(0, at + 1))
        .find((start) => read(start).stage === "closed");
      expect(upToBrace !== undefined).toBe(isWhole);
      expect(isWhole ? JSON.parse(upToBrace ?? "") : {}).toEqual(isWhole ? completeFields(reading) : {});
    }),
  );
});
