/** The agent's own to-do list, which clients show as its plan. Every call replaces the whole list. */
import { z } from "zod";
import { type PlanEntry, planFromTodos } from "../../call/index.js";
import { defineTool } from "../define-tool.js";

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;

const todo = () =>
  z.object({
    content: z.string().describe("The task."),
    // A list with a word that we do not know is still a list: `planFromTodos` says what the word counts as.
    status: z.string().meta({ enum: STATUSES }),
    priority: z
      .string()
      .optional()
      .meta({ enum: ["high", "medium", "low"] }),
  });

/*
 * The schema shows the model one way to write the list; `planFromTodos` accepts the others that models use. An entry
 * that it cannot read is reported and not dropped: the list is the whole list.
 */
const anyTodo = () => z.preprocess((entry) => planFromTodos({ todos: [entry] })?.[0] ?? entry, todo());
const anyList = () =>
  z.preprocess(
    (list) => (typeof list === "string" ? (planFromTodos({ todos: list }) ?? list) : list),
    z.array(anyTodo()).describe("The whole list, not only what changed."),
  );

export const todoWrite = defineTool({
  name: "todo_write",
  description:
    "Replaces the to-do list that the user sees as your plan. Use it for work of several steps, and again whenever a step's status changes.",
  kind: "think",
  input: () => z.object({ todos: anyList() }),
  async run(input) {
    const plan = planFromTodos(input) ?? [];
    return { output: sentence(plan), plan };
  },
});

function sentence(plan: readonly PlanEntry[]): string {
  if (plan.length === 0) return "The plan is empty now.";
  const counts = STATUSES.map(
    (status) => [status, plan.filter((entry) => entry.status === status).length] as const,
  );
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status.replace("_", " ")}`);
  return `The plan has ${plan.length === 1 ? "1 entry" : `${plan.length} entries`} now: ${parts.join(", ")}.`;
}
