/** Reads the output of a command that runs in the background, and ends the command when asked to. */
import { z } from "zod";
import { leftOut, shownText, textContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { ToolFailure } from "../tool.js";

const MAX_WAIT_S = 600;

export const readOutput = defineTool({
  name: "read_output",
  description:
    "Returns what a background command of the terminal tool has printed since it was last read, and its exit code when it has ended. " +
    "Can wait for the end of the command, or end it.",
  kind: "read",
  timeLimit: Number.POSITIVE_INFINITY,
  input: () =>
    z.object({
      id: z.string().min(1).describe("The command's id, as terminal returned it."),
      wait: z
        .number()
        .min(0)
        .max(MAX_WAIT_S)
        .optional()
        .describe("For how many seconds to wait for its end; 0 when left out."),
      stop: z.boolean().optional().describe("Ends it first, with all that it started."),
    }),
  async run({ id, wait = 0, stop = false }, { background, signal }) {
    if (stop) await background?.stop(id);
    const found = await background?.read(id, wait * 1000, signal);
    if (!found)
      throw new ToolFailure(
        `read_output: no background command ${id} is known here: it ended with the Toolgate that started it, or there was none. Start it again if it is needed.`,
      );
    const { state, output } = found;
    const skipped = leftOut(output);
    return {
      output: {
        ...(state.status === "ended" ? state.exit : {}),
        ...(state.status === "failed" && { error: state.error }),
        running: state.status === "running",
        output: shownText(output),
        ...(skipped > 0 && { truncated: skipped }),
      },
      content: [textContent(shownText(output) || "(no new output)")],
    };
  },
});
