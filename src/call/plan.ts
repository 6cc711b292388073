/** The agent's to-do list. Every update is the whole list and replaces the one before. */
import type { Meta } from "./content.js";

export type PlanPriority = "high" | "medium" | "low";
export type PlanStatus = "pending" | "in_progress" | "completed" | "cancelled";

export type PlanEntry = {
  readonly content: string;
  readonly priority: PlanPriority;
  readonly status: PlanStatus;
  /** The calls that work on this entry. */
  readonly toolCallIds?: readonly string[];
  readonly _meta?: Meta | null;
};

/**
 * The plan in a `todo_write` input: `{ todos: [{ content, status, priority? }] }`. Entries without
 * content and status are dropped, an unknown status counts as pending, the priority is medium unless
 * given. Without a list there is no update (undefined), which is not the same as an empty plan.
 */
export function planFromTodos(input: unknown): readonly PlanEntry[] | undefined {
  const todos = isRecord(input) ? input["todos"] : undefined;
  if (!Array.isArray(todos)) return undefined;
  return todos.flatMap((todo: unknown) => entryFrom(todo) ?? []);
}

function entryFrom(todo: unknown): PlanEntry | undefined {
  if (!isRecord(todo)) return undefined;
  const { content, status, priority } = todo;
  if (typeof content !== "string" || typeof status !== "string") return undefined;
  return {
    content,
    priority: priority === "high" || priority === "low" ? priority : "medium",
    status: isPlanStatus(status) ? status : "pending",
  };
}

function isPlanStatus(status: string): status is PlanStatus {
  return status === "pending" || status === "in_progress" || status === "completed" || status === "cancelled";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
