import * as fc from "fast-check";
import { expect, test } from "vitest";
import { replacedRange, sha256, wholeAgain } from "./undoable-workspace.js";
import type { KeptPart } from "./undoable-workspace.js";

const large = Buffer.from(Array.from({ length: 9_000 }, (_, line) => `line ${line}\n`).join(""));

function kept(before: Uint8Array, after: Uint8Array): readonly [KeptPart, Uint8Array] {
  const range = replacedRange(before, after);
  if (!range) throw new Error("It is kept whole.");
  const part: KeptPart = { type: "part", hash: sha256(before), blob: "", ...range, mode: 0o644 };
  return [part, before.subarray(range.head, before.length - range.tail)];
}

test("keeps a small file, and one of which little stays, whole", () => {
  expect(replacedRange(Buffer.from("a"), Buffer.from("a"))).toBeUndefined();
  expect(replacedRange(large, large.subarray(0, 1_000))).toBeUndefined();
  expect(replacedRange(large, Buffer.alloc(large.length))).toBeUndefined();
});

test("restores the earlier bytes from the written ones, and nothing from others", () => {
  const bytes = fc.uint8Array({ maxLength: 20 });
  const places = fc.nat({ max: large.length - 1 });
  fc.assert(
    fc.property(bytes, places, fc.nat({ max: 2_000 }), (inserted, at, removed) => {
      const after = Buffer.concat([large.subarray(0, at), inserted, large.subarray(at + removed)]);
      const [part, replaced] = kept(large, after);
      const isRestored = (current: Uint8Array) => wholeAgain(part, replaced, current)?.equals(large);
      expect(replaced.length).toBeLessThanOrEqual(removed + inserted.length);
      expect(isRestored(after)).toBe(true);
      // A write that was recorded and then failed left them as they were.
      expect(isRestored(large)).toBe(true);
      const foreign = Buffer.from(after);
      const place = part.head > 0 ? part.head - 1 : foreign.length - 1;
      foreign[place] = (foreign[place] ?? 0) ^ 1;
      expect(isRestored(foreign)).toBeUndefined();
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 50) },
  );
});
