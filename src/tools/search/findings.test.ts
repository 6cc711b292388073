import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Findings } from "./findings.js";
import type { FindingsOptions } from "./findings.js";

const OPTIONS: FindingsOptions = {
  folder: "/ws",
  root: "/ws",
  limit: 200,
  skip: 0,
  context: 0,
  filesOnly: false,
  seen: undefined,
};

function found(records: readonly string[], options: Partial<FindingsOptions> = {}) {
  const findings = new Findings({ ...OPTIONS, ...options });
  const taken = records.findIndex((record) => !findings.add(record));
  return { lines: findings.lines(), next: findings.next, taken, locations: findings.locations() };
}

test("reads a record as path, line and text, whatever the text holds", () => {
  expect(found(["./a b:1-2.txt\u000012:3:4\u0000-\t"]).lines).toEqual(["a b:1-2.txt", "12: 3:4\u0000-\t"]);
});

test.each([
  "",
  "./a.bin: WARNING: stopped searching binary file after match",
  "./a.txt\u0000no number",
  "./a.txt\u00001",
  "half of a path",
])("ignores %j", (record) => {
  expect(found([record, "./b.txt\u00001:x"])).toMatchObject({ lines: ["b.txt", "1: x"], next: undefined });
});

test("files that were not seen do not count", () => {
  const seen = new Set(["./a.txt"]);
  const records = ["./b.txt\u00001:x", "./b.txt\u00002-y", "./a.txt\u00001:x"];
  expect(found(records, { seen, limit: 1 })).toMatchObject({ lines: ["a.txt", "1: x"], next: undefined });
});

test("shows every match once and in order over all parts", () => {
  const line = fc.record({
    file: fc.nat(3),
    isMatch: fc.boolean(),
    text: fc.stringMatching(/^[a-z]{0,700}$/),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (lines, limit) => {
      const ordered = lines.toSorted((one, other) => one.file - other.file);
      const records = ordered.map(
        ({ file, isMatch, text }, index) => `./f${file}\u0000${index + 1}${isMatch ? ":" : "-"}${text}`,
      );
      const shown: (number | undefined)[] = [];
      for (let skip: number | undefined = 0; skip !== undefined;) {
        const part = found(records, { skip, limit, context: 1 });
        expect(part.locations.length).toBeLessThanOrEqual(limit);
        // The first match of a part is let through with what stands beside it, however long that is.
        shown.push(...part.locations.map((location) => location.line));
        expect(part.next === undefined || part.next > skip).toBe(true);
        expect(part.next === undefined).toBe(part.taken < 0);
        skip = part.next;
      }
      expect(shown).toEqual(ordered.flatMap(({ isMatch }, index) => (isMatch ? [index + 1] : [])));
    }),
  );
});
