/**
 * One passage of a file replaced, or a file made.
 *
 * The diff that is shown before is made from the file as it is then; the intent holds that file's hash, so
 * that a yes is for that diff. What is shown afterwards is what was really written.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { diffContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { touched } from "../touched.js";
import type { Workspace } from "../workspace.js";
import { applyEdit } from "./apply-edit.js";
import { inTurn } from "./in-turn.js";

const input = z.object({
  path: z.string().min(1).describe("The file, absolute or from the workspace folder."),
  oldText: z
    .string()
    .optional()
    .describe(
      "The passage to replace, exactly as it is in the file; it must occur once. Leave it out to create a file.",
    ),
  newText: z.string().describe("What to put in its place, or the text of the new file."),
});

export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces one passage of a text file, or creates a file with its folders. Read the file first and copy oldText from it.",
  kind: "edit",
  input,
  async intent({ path }, workspace) {
    const { real, current } = await look(path, workspace);
    return {
      paths: [await touched(path, "write", workspace)],
      baseHashes: current === undefined ? {} : { [real]: createHash("sha256").update(current).digest("hex") },
    };
  },
  async preview(edit, workspace) {
    const { real, current } = await look(edit.path, workspace);
    const { text, line } = applyEdit(current, edit);
    return { content: [diffContent(real, current, text)], locations: [{ path: real, line }] };
  },
  async run(edit, context) {
    const { workspace, signal } = context;
    const file = await workspace.resolve(edit.path);
    // Two edits of a file may run at once; unless the second reads what the first wrote, one is lost.
    return inTurn(file, async () => {
      const { real, current } = await look(edit.path, workspace);
      const { text, line } = applyEdit(current, edit);
      signal.throwIfAborted();
      await workspace.writeText(real, text);
      context.report({ locations: [{ path: real, line }] });
      const output =
        current === undefined
          ? `Created ${edit.path}.`
          : `Edited ${edit.path} at line ${line}: 1 passage replaced.`;
      return { output, content: [diffContent(real, current, text)] };
    });
  },
});

async function look(path: string, workspace: Workspace) {
  const real = await workspace.resolve(path);
  return { real, current: await workspace.readText(real) };
}
