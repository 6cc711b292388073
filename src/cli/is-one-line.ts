/** Whether the terminal shows a call in one line, because it only read something. */
import { isProxied } from "../call/call-parts.js";
import type { ToolCall } from "../call/index.js";

/** The effect of these calls is the plan, which is shown itself. */
const PLAN_TOOLS: ReadonlySet<string> = new Set(["todo_write", "todo_read"]);

export function isOneLine(call: ToolCall): boolean {
  const { kind, state, breach, name, title, locations } = call;
  if (breach) return false;
  // Agents look for files that may not be there.
  if (state.status === "failed") return kind === "read" && isProxied(call);
  if (state.status !== "done") return false;
  if (PLAN_TOOLS.has(name)) return true;
  // Another agent's title may not say which file it was.
  const isNamed = locations.every(({ path }) => title.includes(path.slice(path.lastIndexOf("/") + 1)));
  return (kind === "read" || kind === "search") && (kind === "search" || isNamed);
}
