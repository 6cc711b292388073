/** A place to think: nothing happens, and clients show the thought. */
import { z } from "zod";
import { textContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";

export const thinking = defineTool({
  name: "thinking",
  description:
    "Writes down a thought and does nothing else. Use it to plan or to reason about what you have found before you act.",
  kind: "think",
  input: () => z.object({ thought: z.string().min(1).describe("Your thought.") }),
  async run({ thought }) {
    return { output: "The thought is noted. Nothing was changed.", content: [textContent(thought)] };
  },
});
