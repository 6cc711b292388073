import { expect, test } from "vitest";
import { aContext, aWorkspace, resultOf } from "../tools.samples.js";
import { todoWrite } from "./todo-write.js";

async function write(input: unknown) {
  const { workspace } = await aWorkspace();
  const { output, plan } = await resultOf(todoWrite, input, aContext(workspace).context);
  return { output, plan };
}

test("makes the list the plan, and returns its status", async () => {
  const todos = [
    { content: "Read", status: "completed", priority: "high" },
    { content: "Edit", status: "in_progress" },
    { content: "Test", status: "pending" },
    { content: "Ship", status: "pending", priority: "low" },
  ];
  expect(await write({ todos })).toEqual({
    output: "The plan has 4 entries now: 2 pending, 1 in progress, 1 completed.",
    plan: [
      { content: "Read", status: "completed", priority: "high" },
      { content: "Edit", status: "in_progress", priority: "medium" },
      { content: "Test", status: "pending", priority: "medium" },
      { content: "Ship", status: "pending", priority: "low" },
    ],
  });
});

test("counts an unknown status as pending", async () => {
  const { plan } = await write({ todos: [{ content: "Read", status: "started", priority: "urgent" }] });
  expect(plan).toEqual([{ content: "Read", status: "pending", priority: "medium" }]);
});

test("empties the plan for an empty list", async () => {
  expect(await write({ todos: [] })).toEqual({ output: "The plan is empty now.", plan: [] });
});

test("shows the valid status words in the schema", () => {
  expect(todoWrite.parameters).toMatchObject({
    properties: {
      todos: {
        items: {
          properties: {
            status: { type: "string", enum: ["pending", "in_progress", "completed", "cancelled"] },
            priority: { type: "string", enum: ["high", "medium", "low"] },
          },
          required: ["content", "status"],
        },
      },
    },
  });
});

test("refuses an input without a list", () => {
  expect(todoWrite.parse({})).toMatchObject({ ok: false });
  expect(todoWrite.parse({ todos: [{ content: "Read" }] })).toMatchObject({ ok: false });
});

test.each<[unknown]>([
  [["Read", "Edit"]],
  ['["Read", {"content":"Edit","status":"pending"}]'],
  [
    [
      { task: "Read", done: false },
      { title: "Edit", state: "pending" },
    ],
  ],
])("accepts %j too", async (todos) => {
  expect(await write({ todos })).toEqual({
    output: "The plan has 2 entries now: 2 pending.",
    plan: ["Read", "Edit"].map((content) => ({ content, status: "pending", priority: "medium" })),
  });
});

test("keeps the good entries beside an unreadable one, and reports that one", async () => {
  expect(await write({ todos: ["Read", { content: "Edit" }, 7, { task: "Test", done: true }] })).toEqual({
    output:
      'The plan has 2 entries now: 1 pending, 1 completed. Entries 2, 3 were left out: each entry needs "content" and "status". Write the whole list again.',
    plan: [
      { content: "Read", status: "pending", priority: "medium" },
      { content: "Test", status: "completed", priority: "medium" },
    ],
  });
  const { output, plan } = await write({ todos: '["Read", {"content":"Edit"}]' });
  expect(plan).toHaveLength(1);
  expect(output).toContain("Entry 2 was left out");
});

test("refuses a list of which no entry can be read", () => {
  expect(todoWrite.parse({ todos: [{ content: "Edit" }, null] })).toMatchObject({ ok: false });
  expect(todoWrite.parse({ todos: "Read, then edit" })).toMatchObject({ ok: false });
});
