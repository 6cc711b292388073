/**
 * The tool that starts a sub-agent: the same model with the same tools, under the same rules, in its own conversation.
 * The sub-agent does not see the agent's conversation, and the agent sees only the sub-agent's last response.
 */
import { z } from "zod";
import { AMOUNT, checkOptions } from "../call/check-options.js";
import { defineTool, ToolFailure } from "../tools/index.js";
import type { Tool } from "../tools/index.js";

export type TaskToolOptions = {
  /** A sub-agent that is not done after this many responses of the model is stopped. */
  readonly maxSteps?: number;
};

const MAX_STEPS = 50;

export function taskTool(options: TaskToolOptions = {}): Tool {
  checkOptions<TaskToolOptions>("taskTool", options, { maxSteps: AMOUNT });
  const { maxSteps = MAX_STEPS } = options;
  return defineTool({
    name: "task",
    description:
      "Has a sub-agent do a task of several steps, with the same tools, and returns its last answer alone. " +
      "Use it for work whose details you need not see, such as a search through many files. Several in one answer work at the same time.",
    kind: "think",
    input: () =>
      z.strictObject({
        description: z.string().min(1).max(200).describe("The task in a few words, for the user."),
        prompt: z
          .string()
          .min(1)
          .describe(
            "All that the sub-agent gets: what to do, what it must know, and what to answer. The sub-agent sees nothing of this conversation and cannot ask you.",
          ),
      }),
    title: ({ description }) => `Task: ${description}`,
    delegates: { prompt: ({ prompt }) => prompt, maxSteps },
    run: () =>
      Promise.reject(
        new ToolFailure("task: there are no sub-agents here. Nothing was done; do it with the other tools."),
      ),
  });
}
