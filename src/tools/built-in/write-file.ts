/**
 * Creates or replaces a whole text file. The content is written as given: line ends are not changed.
 *
 * The preview shows a diff against the current file; the intent has that file's hash, so that a yes is for that diff.
 * The intent discloses nothing else about the file, because it is made before the decision. The final diff shows what
 * was really replaced.
 */
import { z } from "zod";
import { fileDiff, hunkLocations } from "../../call/index.js";
import { partOfChange } from "../../call/diff-hunks.js";
import { defineTool } from "../define-tool.js";
import { pathInput, textInput } from "../path-access.js";
import { intentOfWrite } from "./base-hash.js";
import { withPathLock } from "./with-path-lock.js";
import { type OldFile, oldFile, replacedContent } from "./old-file.js";
import { sizeText } from "../../call/amounts.js";

export const writeFile = defineTool({
  name: "write_file",
  description:
    "Creates a text file with its folders, or replaces a whole file. To change part of a file, edit_file is safer.",
  kind: "edit",
  input: () =>
    z.object({
      path: pathInput("The file"),
      content: textInput().describe("The whole text of the file."),
    }),
  intent: ({ path }, workspace) => intentOfWrite(path, workspace),
  async preview({ path, content }, workspace) {
    const file = await workspace.resolve(path);
    return change(file, await oldFile(workspace, file), content);
  },
  async keepHunks({ path, content }, hunks, workspace) {
    const file = await workspace.resolve(path);
    const oldText = (await oldFile(workspace, file))?.text;
    const part =
      oldText === undefined
        ? undefined
        : partOfChange(fileDiff(file, oldText, content), { oldText, newText: content }, hunks);
    return part && { input: { path, content: part.text }, rejected: part.rejected };
  },
  async run({ path, content }, context) {
    const { workspace, signal } = context;
    const key = await workspace.resolve(path);
    return withPathLock([key], async () => {
      const file = await workspace.resolve(path);
      const old = await oldFile(workspace, file);
      if (old?.text === content)
        return {
          output: `${path} has just this content already. The file was not written again.`,
          content: [],
        };
      signal.throwIfAborted();
      await workspace.write(file, content);
      const { content: shown, locations } = change(file, old, content);
      context.report({ locations });
      const size = sizeText(Buffer.byteLength(content));
      return { output: `${old ? "Replaced" : "Created"} ${path} (${size}).`, content: shown };
    });
  },
});

function change(file: string, old: OldFile | undefined, content: string) {
  if (old?.text === content) return { content: [], locations: [{ path: file }] };
  return {
    content: replacedContent(file, old, content),
    locations: hunkLocations(file, old?.text ?? "", content),
  };
}
