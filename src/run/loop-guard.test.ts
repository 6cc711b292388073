import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import { LOOP_LIMIT, LoopGuard } from "./loop-guard.js";

const guard = (limit: number, book = new SessionBook("s")) => new LoopGuard(book, limit);

/** The guard's result for each of these calls, made one after another. */
const said = (loops: LoopGuard, inputs: readonly unknown[]) => inputs.map((input) => loops.loops("t", input));

test("the same call is counted once it has been made more often than the limit", () => {
  expect(said(guard(2), [1, 1, 1, 1])).toEqual([undefined, undefined, 3, 4]);
  expect(LOOP_LIMIT).toBe(5);
});

test("another input, or another tool, is another call", () => {
  const loops = guard(1);
  expect(said(loops, [{ a: 1 }, { a: 2 }, [], {}, null])).toEqual(Array(5).fill(undefined));
  expect(loops.loops("u", { a: 1 })).toBeUndefined();
  expect(loops.loops("t", { a: 1 })).toBe(2);
});

test("distinguishes no input from an empty one, and treats none like null", () => {
  const loops = guard(1);
  expect(said(loops, [undefined, {}, null])).toEqual([undefined, undefined, 2]);
});

test("a loop of several steps is noticed", () => {
  const loops = guard(2);
  const rounds = [1, 2, 3].flatMap(() => said(loops, ["a", "b", "c"]));
  expect(rounds.slice(6)).toEqual([3, 3, 3]);
});

test("what was long ago does not count", () => {
  const loops = guard(1);
  loops.loops("t", "again");
  for (let other = 0; other < 31; other += 1) loops.loops("t", other);
  // The first has just fallen out of the last 32.
  expect(loops.loops("t", "again")).toBeUndefined();
  for (let other = 0; other < 30; other += 1) loops.loops("t", 100 + other);
  expect(loops.loops("t", "again")).toBe(2);
});

test("restarts the count of a call that a person allowed to continue, and no other", () => {
  const loops = guard(1);
  said(loops, ["a", "b"]);
  loops.forget("t", "a");
  expect(said(loops, ["a", "b", "a"])).toEqual([undefined, 2, 2]);
});

test("the calls of a session that is opened again count", () => {
  const announced = (toolCallId: string) =>
    ({
      type: "call-announced",
      toolCallId,
      at: 0,
      name: "t",
      title: "T",
      kind: "other",
      kindSource: "declared",
    }) as const;
  const ready = (toolCallId: string) =>
    ({ type: "input-ready", toolCallId, at: 0, rawInput: { n: 1 } }) as const;
  const book = new SessionBook(
    "s",
    ["1", "2"].flatMap((id) => [announced(id), ready(id)]),
  );
  expect(guard(2, book).loops("t", { n: 1 })).toBe(3);
});
