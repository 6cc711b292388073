/**
 * Replaces passages of a file, or creates a file.
 *
 * The preview shows a diff against the current file; the intent has that file's hash, so that a yes is for that diff.
 * The intent discloses nothing else about the file, because it is made before the decision. The final diff shows what
 * was really written.
 */
import { z } from "zod";
import { fileDiff, hunkLocations } from "../../call/index.js";
import { countOf } from "../../call/amounts.js";
import { partOfChange } from "../../call/diff-hunks.js";
import type { Location } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { pathInput, textInput } from "../path-access.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { LISTED_LINES, applyEdits, textOfNewFile } from "./apply-edits.js";
import { intentOfWrite } from "./base-hash.js";
import { withPathLock } from "./with-path-lock.js";

const replaceAll = () =>
  z
    .boolean()
    .optional()
    .describe("Replace every place where oldText occurs. Without it, it must occur once.");

const input = () =>
  z
    .object({
      path: pathInput("The file"),
      oldText: textInput()
        .optional()
        .describe(
          "The passage to replace, exactly as it is in the file; it must occur once. Leave it out to create a file.",
        ),
      newText: textInput().optional().describe("The replacement, or the text of the new file."),
      replaceAll: replaceAll(),
      edits: z
        .array(
          z.object({
            oldText: textInput().min(1).describe("The passage to replace."),
            newText: textInput().describe("The replacement."),
            replaceAll: replaceAll(),
          }),
        )
        .min(1)
        .optional()
        .describe(
          "Several replacements instead of one, each made in what the one before it left. All of them are made, or none.",
        ),
    })
    .superRefine(({ oldText, newText, replaceAll: all, edits }, context) => {
      const refuse = (message: string) => context.addIssue({ code: "custom", message });
      if (edits ? (oldText ?? newText ?? all) !== undefined : newText === undefined)
        refuse('Give either "newText", with the "oldText" that it replaces, or "edits"');
      else if (all === true && (oldText ?? "") === "")
        refuse('"replaceAll" needs the "oldText" that is to be replaced');
    });

type Input = z.output<ReturnType<typeof input>>;

export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces passages of a text file, or creates a file with its folders. Read the file first and copy oldText from it.",
  kind: "edit",
  input,
  intent: ({ path }, workspace) => intentOfWrite(path, workspace),
  async preview(edit, workspace) {
    const { real, current } = await look(edit.path, workspace);
    const { text } = edited(current, edit);
    return {
      content: [fileDiff(real, current, text)],
      locations: hunkLocations(real, current ?? "", text),
    };
  },
  async keepHunks(edit, hunks, workspace) {
    const { real, current } = await look(edit.path, workspace);
    const { text } = edited(current, edit);
    const part =
      current === undefined
        ? undefined
        : partOfChange(fileDiff(real, current, text), { oldText: current, newText: text }, hunks);
    if (current === undefined || !part) return undefined;
    const { path } = edit;
    const edits = part.kept.map(({ oldText, newText }) => ({ oldText, newText }));
    const isExact = makes(current, { path, edits }, part.text);
    // The lines of a hunk may stand elsewhere too: then the whole text is the passage.
    const kept = { path, edits: isExact ? edits : [{ oldText: current, newText: part.text }] };
    return isExact || makes(current, kept, part.text) ? { input: kept, rejected: part.rejected } : undefined;
  },
  async run(edit, context) {
    const { workspace, signal } = context;
    const file = await workspace.resolve(edit.path);
    // Two edits of a file may run at once; unless the second reads what the first wrote, one is lost.
    return withPathLock([file], async () => {
      const { real, current } = await look(edit.path, workspace);
      const { text, passages } = edited(current, edit);
      signal.throwIfAborted();
      await workspace.write(real, text);
      const locations = hunkLocations(real, current ?? "", text);
      context.report({ locations });
      const output = sentence(current, edit.path, { passages, locations });
      return { output, content: [fileDiff(real, current, text)] };
    });
  },
});

async function look(path: string, workspace: Workspace) {
  const real = await workspace.resolve(path);
  return { real, current: await workspace.readText(real) };
}

function makes(current: string, edit: Input, wanted: string): boolean {
  try {
    return edited(current, edit).text === wanted;
  } catch (error) {
    if (error instanceof ToolFailure) return false;
    throw error;
  }
}

function edited(
  current: string | undefined,
  { path, oldText = "", newText = "", replaceAll: all, edits }: Input,
) {
  if (edits) return applyEdits(current, path, edits);
  if (oldText === "") return { text: textOfNewFile(current, path, newText), passages: 1 };
  return applyEdits(current, path, [{ oldText, newText, replaceAll: all }]);
}

function sentence(
  current: string | undefined,
  path: string,
  { passages, locations }: { readonly passages: number; readonly locations: readonly Location[] },
): string {
  if (current === undefined) return `Created ${path}.`;
  if (current === "") return `Filled ${path}, which was empty.`;
  const lines = locations.slice(0, LISTED_LINES).map(({ line }) => line);
  const more = locations.length > LISTED_LINES ? ", …" : "";
  const at = `${locations.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return `Edited ${path} at ${at}: ${countOf(passages, "passage")} replaced.`;
}
