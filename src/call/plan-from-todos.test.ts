import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planFromTodos } from "./plan-from-todos.js";

const entry = (content: string, status: string, priority = "medium") => ({ content, priority, status });

test("makes the plan of crow-agent's page from its to-do list", () => {
  const todos = [
    { content: "Read the file", status: "completed" },
    { content: "Make changes", status: "in_progress" },
    { content: "Test changes", status: "pending" },
  ];
  expect(planFromTodos({ todos })).toEqual([
    { content: "Read the file", priority: "medium", status: "completed" },
    { content: "Make changes", priority: "medium", status: "in_progress" },
    { content: "Test changes", priority: "medium", status: "pending" },
  ]);
});

test("entries without a content and a status that are texts are dropped, the others keep their order", () => {
  const good = { content: "a", status: "pending" };
  const bad = [null, 7, [], {}, { content: "a" }, { status: "pending" }, { content: 1, status: "pending" }];
  expect(
    planFromTodos({ todos: [...bad, good, { content: "a", status: 1 }, { ...good, content: "" }] }),
  ).toEqual([entry("a", "pending"), entry("", "pending")]);
});

test.each(["pending", "in_progress", "completed", "cancelled"])("keeps the status %s", (status) => {
  expect(planFromTodos({ todos: [{ content: "a", status }] })).toEqual([entry("a", status)]);
});

test.each(["", "done", "Completed", "in progress", "constructor"])(
  "counts the unknown status %j as pending",
  (status) => {
    expect(planFromTodos({ todos: [{ content: "a", status }] })).toEqual([entry("a", "pending")]);
  },
);

test.each([
  ["high", "high"],
  ["medium", "medium"],
  ["low", "low"],
  ["urgent", "medium"],
  [1, "medium"],
  [null, "medium"],
])("the priority %j becomes %s", (priority, expected) => {
  const todos = [{ content: "a", status: "pending", priority }];
  expect(planFromTodos({ todos })).toEqual([entry("a", "pending", expected)]);
});

test.each<[unknown, readonly object[]]>([
  ['[{"content":"a","status":"completed"}]', [entry("a", "completed")]],
  ["[]", []],
  [
    ["a", ""],
    [entry("a", "pending"), entry("", "pending")],
  ],
  ['["a"]', [entry("a", "pending")]],
  [[{ task: "a", status: "in_progress" }], [entry("a", "in_progress")]],
  [[{ title: "a", state: "completed" }], [entry("a", "completed")]],
  [[{ text: "a", done: true }], [entry("a", "completed")]],
  [[{ text: "a", done: false, priority: "high" }], [entry("a", "pending", "high")]],
  [
    [{ content: "a", task: "b", status: "completed", state: "pending", done: false }],
    [entry("a", "completed")],
  ],
  [[{ content: 1, title: "a", status: 1, done: true }], [entry("a", "completed")]],
  [[{ text: "a", done: "yes" }], []],
  [[{ name: "a", status: "pending" }], []],
])("accepts %j as a list too", (todos, expected) => {
  expect(planFromTodos({ todos })).toEqual(expected);
});

test("drops other fields of an entry", () => {
  const todos = [{ content: "a", status: "pending", id: "1", _meta: { a: 1 }, toolCallIds: ["x"] }];
  expect(planFromTodos({ todos })).toStrictEqual([entry("a", "pending")]);
});

test("makes an empty plan from an empty list, and not no plan", () => {
  expect(planFromTodos({ todos: [] })).toEqual([]);
  expect(planFromTodos({ todos: [null] })).toEqual([]);
});

test.each([
  undefined,
  null,
  7,
  "todos",
  [],
  {},
  { todos: null },
  { todos: "a" },
  { todos: "[" },
  { todos: '{"todos":[]}' },
  { todos: "null" },
  { todos: { 0: "a" } },
  { Todos: [] },
])("keeps the plan when %j has no list", (input) => {
  expect(planFromTodos(input)).toBeUndefined();
});

test("returns a plan or nothing for any text of a model", () => {
  const todo = fc.oneof(
    fc.jsonValue(),
    fc.record({ content: fc.oneof(fc.string(), fc.nat()), status: fc.string(), priority: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ todos: fc.array(todo) })), (input) => {
      for (const { content, priority, status } of planFromTodos(input) ?? []) {
        expect(content).toBeTypeOf("string");
        expect(["high", "medium", "low"]).toContain(priority);
        expect(["pending", "in_progress", "completed", "cancelled"]).toContain(status);
      }
    }),
  );
});
