/** The plan as lines: a sign for the status of each entry, and its text. */
import type { PlanEntry, PlanStatus } from "../call/index.js";
import { pluralize } from "../call/index.js";
import { rows, visibleName } from "./visible-line.js";

const MARKS: Readonly<Record<PlanStatus, string>> = {
  pending: "☐",
  in_progress: "◐",
  completed: "☑",
  cancelled: "☒",
};

export function planLines(plan: readonly PlanEntry[], width: number): readonly string[] {
  return plan.flatMap(({ content, status, priority, toolCallIds = [] }) => {
    const notes = [
      ...(priority === "high" ? ["high priority"] : []),
      ...(status === "cancelled" ? ["cancelled"] : []),
      ...(toolCallIds.length === 0 ? [] : [pluralize(toolCallIds.length, "call")]),
    ];
    const line = `${visibleName(content)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
    return rows(line, { first: `  ${MARKS[status]} `, next: "        " }, width);
  });
}
