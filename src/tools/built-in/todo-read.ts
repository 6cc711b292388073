/** The agent's own to-do list as it stands, for a model that has lost sight of it. */
import { z } from "zod";
import type { PlanEntry } from "../../call/index.js";
import { defineTool } from "../define-tool.js";

export const todoRead = defineTool({
  name: "todo_read",
  description: "Returns the to-do list that the user sees as your plan, with the status of each entry.",
  // As crow-agent's page shows it: the tool neither reads a file nor thinks.
  kind: "think",
  input: () => z.object({}),
  async run(_input, { plan }) {
    return plan.length === 0
      ? "The plan is empty. Use todo_write to make one."
      : plan.map((entry, index) => `${index + 1}. ${lineOf(entry)}`).join("\n");
  },
});

function lineOf({ content, status, priority }: PlanEntry): string {
  const marked = `[${status.replace("_", " ")}] ${content}`;
  return priority === "medium" ? marked : `${marked} (${priority} priority)`;
}
