import type { PlanEntry, PlanStatus } from "./plan.js";

/**
 * The plan in a `todo_write` input: `{ todos: [{ content, status, priority? }] }`. Entries without
 * content and status are dropped, an unknown status counts as pending, the priority is medium unless
 * given. Without a list there is no update (undefined), which is not the same as an empty plan.
 *
 * Variants that models write are accepted too: the list as a JSON text, an entry as a mere text (which is
 * pending), `task`, `title` or `text` for the content, `state` or a true or false `done` for the status.
 */
export function planFromTodos(input: unknown): readonly PlanEntry[] | undefined {
  const todos = isRecord(input) ? listFrom(input["todos"]) : undefined;
  return todos?.flatMap((todo) => entryFrom(todo) ?? []);
}

function listFrom(todos: unknown): readonly unknown[] | undefined {
  if (Array.isArray(todos)) return todos;
  if (typeof todos !== "string") return undefined;
  try {
    const list: unknown = JSON.parse(todos);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function entryFrom(todo: unknown): PlanEntry | undefined {
  if (typeof todo === "string") return { content: todo, priority: "medium", status: "pending" };
  if (!isRecord(todo)) return undefined;
  const content = textUnder(todo, ["content", "task", "title", "text"]);
  const status = textUnder(todo, ["status", "state"]) ?? statusOfDone(todo["done"]);
  if (content === undefined || status === undefined) return undefined;
  const { priority } = todo;
  return {
    content,
    priority: priority === "high" || priority === "low" ? priority : "medium",
    status: isPlanStatus(status) ? status : "pending",
  };
}

function textUnder(todo: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  return keys.map((key) => todo[key]).find((value) => typeof value === "string");
}

function statusOfDone(done: unknown): PlanStatus | undefined {
  if (typeof done !== "boolean") return undefined;
  return done ? "completed" : "pending";
}

function isPlanStatus(status: string): status is PlanStatus {
  return status === "pending" || status === "in_progress" || status === "completed" || status === "cancelled";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
