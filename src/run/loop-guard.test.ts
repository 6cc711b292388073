import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import { LOOP_LIMIT, LoopGuard } from "./loop-guard.js";

const guard = (limit: number, book = new SessionBook("s")) => new LoopGuard(book, limit);

/** The guard's result for each of these calls, made one after another. */
const said = (loops: LoopGuard, inputs: readonly unknown[]) => inputs.map((input) => loops.loops("t", input));

test("counts a call once it was repeated more often than the limit", () => {
  expect(said(guard(2), [1, 1, 1, 1])).toEqual([undefined, undefined, 3, 4]);
  expect(LOOP_LIMIT).toBe(5);
});

test("counts another input or another tool as another call", () => {
  const loops = guard(1);
  expect(said(loops, [{ a: 1 }, { a: 2 }, [], {}, null])).toEqual(Array(5).fill(undefined));
  expect(loops.loops("u", { a: 1 })).toBeUndefined();
  expect(loops.loops("t", { a: 1 })).toBe(2);
});

test("ignores the order of fields and the white space", () => {
  const loops = guard(1);
  const inputs = [
    { command: "ls  -l\n", cwd: "/a" },
    { cwd: "/a", command: " ls -l" },
    { command: "ls -l", cwd: "/a" },
  ];
  expect(said(loops, inputs)).toEqual([undefined, 2, 3]);
  expect(
    said(loops, [
      { command: "ls-l", cwd: "/a" },
      { command: "ls -l", cwd: "/b" },
    ]),
  ).toEqual([undefined, undefined]);
});

test("ignores a field that only numbers the attempt", () => {
  const loops = guard(2);
  const attempts = [
    { command: "npm test", retry: 1, description: "Run the tests" },
    { command: "npm test", retry: 2, description: "Run them again" },
    { attempt: 3, idempotencyKey: "b", command: "npm test", nonce: "x", _meta: { at: 3 } },
  ];
  expect(attempts.map((input) => loops.loops("run", input))).toEqual([undefined, undefined, 3]);
  // The fields that the call is about stay.
  for (const requestId of ["a", "b", "c", "d"])
    expect(loops.loops("look", { requestId, project: "p" })).toBeUndefined();
  for (const timestamp of [1, 2, 3]) expect(loops.loops("logs", { timestamp, project: "p" })).toBeUndefined();
  for (const description of ["a", "b", "c"]) expect(loops.loops("add", { description })).toBeUndefined();
  for (const id of ["a", "b", "c"]) expect(loops.loops("get", { id, project: "p" })).toBeUndefined();
});

test("distinguishes no input from an empty one, and treats none like null", () => {
  const loops = guard(1);
  expect(said(loops, [undefined, {}, null])).toEqual([undefined, undefined, 2]);
});

test("detects a loop of several steps", () => {
  const loops = guard(2);
  const rounds = [1, 2, 3].flatMap(() => said(loops, ["a", "b", "c"]));
  expect(rounds.slice(6)).toEqual([3, 3, 3]);
});

test("ignores calls of long ago", () => {
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

test("counts the calls of a session that is opened again", () => {
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

const wide = (width: number) => Array.from({ length: width }, (_, number) => ({ number }));

/** The guard's report for each round of a step: the same for all of its calls, or nothing. */
const rounds = (loops: LoopGuard, steps: readonly (readonly unknown[])[]) =>
  steps.map((step) => [...new Set(said(loops, step))]);

test.each([32, 40, 1_500, 10_000])("notices a repeated step of %i calls", (width) => {
  const step = wide(width);
  const reported = rounds(guard(LOOP_LIMIT), Array(7).fill(step));
  expect(reported.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => [undefined]));
  expect(reported[6]).not.toContain(undefined);
});

test("notices a wide step whose calls come in another order and with a few others each time", () => {
  const step = wide(200);
  const steps = Array.from({ length: 9 }, (_, round) => [
    ...(round % 2 === 0 ? step : step.toReversed()),
    { round, other: 1 },
    { round, other: 2 },
  ]);
  expect(said(guard(LOOP_LIMIT), steps.flat()).slice(-202, -2)).not.toContain(undefined);
});

test("notices two wide steps that alternate", () => {
  const [one, other] = [wide(50), wide(50).map((input) => ({ ...input, other: true }))];
  const reported = rounds(
    guard(LOOP_LIMIT),
    Array.from({ length: 14 }, (_, round) => (round % 2 === 0 ? one : other)),
  );
  expect(reported[12]).not.toContain(undefined);
  expect(reported[13]).not.toContain(undefined);
});

test("lets a call pass that comes again after many new ones, however often", () => {
  const loops = guard(LOOP_LIMIT);
  for (let round = 0; round < 50; round += 1) {
    expect(loops.loops("t", "npm test")).toBeUndefined();
    said(
      loops,
      wide(31).map((input) => ({ ...input, round })),
    );
  }
});

test("does not add up the same wide step in turn after turn: a person asked for each", () => {
  const book = new SessionBook("s");
  const loops = guard(LOOP_LIMIT, book);
  for (let turn = 1; turn <= 10; turn += 1) {
    book.apply({ type: "turn-started", at: turn, turnId: `turn_${turn}` });
    expect(rounds(loops, [wide(200)])).toEqual([[undefined]]);
    // The guard of a session that is opened again in the middle of the turn agrees.
    expect(rounds(guard(LOOP_LIMIT, book), [wide(200)])).toEqual([[undefined]]);
    book.apply({ type: "turn-stopped", at: turn, turnId: `turn_${turn}`, stopReason: "end_turn" });
  }
});

test("bounds its memory: of more different calls than it keeps, none is known again", () => {
  const loops = guard(1);
  expect(rounds(loops, Array(3).fill(wide(33_000)))).toEqual(Array.from({ length: 3 }, () => [undefined]));
});
