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

/** In the place of an entry that cannot be read. No entry has this status. */
const UNREADABLE = { content: "", status: "\0unreadable" };

const isUnreadable = ({ status }: { readonly status: string }): boolean => status === UNREADABLE.status;

/*
 * The schema shows the model one way to write the list; `planFromTodos` accepts the others that models use. An entry
 * that it cannot read is reported, and the others count.
 */
const anyTodo = () => z.preprocess((entry) => planFromTodos({ todos: [entry] })?.[0] ?? UNREADABLE, todo());
const anyList = () =>
  z.preprocess(
    listOf,
    z
      .array(anyTodo())
      .describe("The whole list, not only what changed.")
      .refine((list) => list.length === 0 || !list.every(isUnreadable), NEEDED),
  );

const NEEDED = 'each entry needs "content" and "status"';

/** A list that was written as JSON text. */
function listOf(list: unknown): unknown {
  if (typeof list !== "string") return list;
  try {
    return JSON.parse(list);
  } catch {
    return list;
  }
}

export const todoWrite = defineTool({
  name: "todo_write",
  description:
    "Replaces the to-do list that the user sees as your plan. Use it for work of several steps, and again whenever a step's status changes.",
  kind: "think",
  input: () => z.object({ todos: anyList() }),
  async run({ todos }) {
    const unread = todos.flatMap((entry, index) => (isUnreadable(entry) ? [index + 1] : []));
    const plan = planFromTodos({ todos: todos.filter((entry) => !isUnreadable(entry)) }) ?? [];
    return { output: sentence(plan) + leftOut(unread), plan };
  },
});

function leftOut(numbers: readonly number[]): string {
  if (numbers.length === 0) return "";
  const which = numbers.length === 1 ? `Entry ${numbers[0]} was` : `Entries ${numbers.join(", ")} were`;
  return ` ${which} left out: ${NEEDED}. Write the whole list again.`;
}

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
