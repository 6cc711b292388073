import { expect, test } from "vitest";
import type { PlanEntry } from "../../call/index.js";
import { aContext, aWorkspace, resultOf } from "../tools.samples.js";
import { todoRead } from "./todo-read.js";

async function read(plan: readonly PlanEntry[]): Promise<unknown> {
  const { workspace } = await aWorkspace();
  return (await resultOf(todoRead, {}, { ...aContext(workspace).context, plan })).output;
}

test("returns the plan as a list with each status", async () => {
  expect(
    await read([
      { content: "Read", status: "completed", priority: "high" },
      { content: "Edit", status: "in_progress", priority: "medium" },
      { content: "Ship", status: "pending", priority: "low" },
    ]),
  ).toBe("1. [completed] Read (high priority)\n2. [in progress] Edit\n3. [pending] Ship (low priority)");
});

test("says in a sentence that the plan is empty", async () => {
  expect(await read([])).toBe("The plan is empty. Use todo_write to make one.");
});

test("is of the kind of thinking, so that no mode asks about it", () => {
  expect(todoRead.kind).toBe("think");
});
