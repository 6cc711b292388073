import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { PlanEntry, PlanStatus } from "./plan.js";
import { SessionBook } from "./session-book.js";
import type { SessionEvent } from "./session.js";

const plan = (...entries: readonly (readonly [content: string, status: PlanStatus])[]): SessionEvent => ({
  type: "plan-updated",
  at: 0,
  entries: entries.map(([content, status]) => ({ content, status, priority: "medium" })),
});

const announced = (toolCallId: string, more: object = {}): SessionEvent => ({
  type: "call-announced",
  toolCallId,
  at: 0,
  name: "read_file",
  title: "Read",
  kind: "read",
  kindSource: "declared",
  ...more,
});

const callsOf = (entries: readonly PlanEntry[]) =>
  entries.map(({ content, toolCallIds }) => [content, toolCallIds]);

test("links a call to the entry in progress, also when the plan moves on", () => {
  const book = new SessionBook("s", [
    announced("early"),
    plan(["look", "in_progress"], ["fix", "pending"]),
    announced("a"),
    announced("b"),
    plan(["look", "completed"], ["fix", "in_progress"], ["test", "pending"]),
    announced("c"),
  ]);
  expect(callsOf(book.plan)).toEqual([
    ["look", ["a", "b"]],
    ["fix", ["c"]],
    ["test", undefined],
  ]);
  expect(SessionBook.restored(book.snapshot()).plan).toEqual(book.plan);
});

test("links no call when several entries are in progress, when it only plans, or for a sub-agent", () => {
  const book = new SessionBook("s", [
    plan(["look", "in_progress"], ["fix", "in_progress"]),
    announced("a"),
    plan(["look", "in_progress"], ["fix", "pending"]),
    announced("b", { kind: "think" }),
    announced("c", { parentToolCallId: "a" }),
  ]);
  expect(callsOf(book.plan)).toEqual([
    ["look", undefined],
    ["fix", undefined],
  ]);
});

test("links a call to the entry that the same response's plan has in progress", () => {
  const planning = (
    toolCallId: string,
    ...todos: readonly { readonly content: string; readonly status: PlanStatus }[]
  ): readonly SessionEvent[] => [
    {
      type: "call-announced",
      toolCallId,
      at: 0,
      name: "todo_write",
      title: "Plan",
      kind: "think",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at: 0, rawInput: { todos } },
  ];
  const runs = (toolCallId: string): readonly SessionEvent[] => [
    { type: "call-cleared", toolCallId, at: 0 },
    { type: "run-started", toolCallId, at: 0 },
  ];
  const ended = (stepId: string, ...toolCallIds: readonly string[]): SessionEvent => ({
    type: "step-ended",
    at: 0,
    turnId: "t",
    stepId,
    toolCallIds,
  });
  const events: readonly SessionEvent[] = [
    { type: "turn-started", turnId: "t", at: 0 },
    announced("a"),
    ...planning("p1", { content: "look", status: "in_progress" }, { content: "fix", status: "pending" }),
    announced("b"),
    ended("s1", "a", "p1", "b"),
    ...runs("p1"),
    plan(["look", "in_progress"], ["fix", "pending"]),
    { type: "call-done", toolCallId: "p1", at: 0 },
    announced("c"),
    ...planning("p2", { content: "look", status: "completed" }, { content: "fix", status: "in_progress" }),
    announced("d"),
    ended("s2", "c", "p2", "d"),
    ...runs("p2"),
    plan(["look", "completed"], ["fix", "in_progress"]),
    { type: "call-done", toolCallId: "p2", at: 0 },
  ];
  const expected = [
    ["look", ["a", "b", "c"]],
    ["fix", ["d"]],
  ];
  expect(callsOf(new SessionBook("s", events).plan)).toEqual(expected);
  // As the recorder folds them: the events of a batch together, each call before the plan.
  const live = new SessionBook("s");
  const batches = [events.slice(0, 7), events.slice(7, 9), events.slice(9, 14), events.slice(14)];
  for (const batch of batches) live.applyChecked(live.check(batch));
  expect(callsOf(live.plan)).toEqual(expected);
});

test("links every call to at most one entry, however the plan changes", () => {
  const status = fc.constantFrom<PlanStatus>("pending", "in_progress", "completed");
  const list = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d"), status), {
    selector: ([content]) => content,
  });
  fc.assert(
    fc.property(fc.array(fc.option(list), { maxLength: 12 }), (steps) => {
      const events = steps.map((step, at) => (step ? plan(...step) : announced(`call_${at}`)));
      const ids = new SessionBook("s", events).plan.flatMap(({ toolCallIds = [] }) => toolCallIds);
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});
