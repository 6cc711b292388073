/**
 * The content that a deletion removes, for the person who is asked: each text while it is small enough, otherwise the
 * amount.
 */
import { oneLine, textContent } from "../../call/index.js";
import type { DiffContent, ToolCallContent } from "../../call/index.js";
import type { Files } from "../workspace.js";
import { type FolderTree, type TreeEntry, treeSummary } from "./folder-tree.js";
import { oldFile, removedDiff } from "./old-file.js";
import { sizeText } from "../../call/amounts.js";

const MAX_FILES = 50;
const MAX_TEXT = 256 * 1024;
const MAX_TARGET = 200;

/** `tree` has the contents of a folder. */
export async function removedContent(
  files: Files,
  entry: TreeEntry & { readonly tree?: FolderTree },
): Promise<readonly ToolCallContent[]> {
  const { path, type, size, tree } = entry;
  if (tree) return folderContent(files, path, tree);
  const { diff, isTooLarge } = await removedEntry(files, entry, MAX_TEXT);
  if (type === "link") {
    const target = oneLine(await files.readLink(path), MAX_TARGET);
    return [textContent(`A link. Its target stays: ${target}`), diff];
  }
  return isTooLarge ? [textContent(`A text of ${sizeText(size)}, too large to be shown.`), diff] : [diff];
}

async function folderContent(
  files: Files,
  folder: string,
  tree: FolderTree,
): Promise<readonly ToolCallContent[]> {
  const whole: DiffContent = { type: "diff", operation: "delete", path: folder, fileType: "directory" };
  if (tree.entries.length === 0) return [whole];
  const summary = textContent(`Contents of the folder: ${treeSummary(tree)}.`);
  return [summary, whole, ...((await entryDiffs(files, tree)) ?? [])];
}

/** Undefined when there is too much. */
async function entryDiffs(
  files: Files,
  { entries, isWhole }: FolderTree,
): Promise<readonly DiffContent[] | undefined> {
  const shown = entries.filter(({ type }) => type !== "folder");
  if (!isWhole || shown.length > MAX_FILES) return undefined;
  const diffs: DiffContent[] = [];
  let room = MAX_TEXT;
  for (const entry of shown) {
    const { diff, isTooLarge } = await removedEntry(files, entry, room);
    if (isTooLarge) return undefined;
    diffs.push(diff);
    room -= Buffer.byteLength(diff.oldText ?? "");
  }
  return diffs;
}

async function removedEntry(
  files: Files,
  { path, type }: TreeEntry,
  maxText: number,
): Promise<{ readonly diff: DiffContent; readonly isTooLarge: boolean }> {
  const diff: DiffContent = { type: "diff", operation: "delete", path };
  if (type === "link") return { diff: { ...diff, fileType: "symlink" }, isTooLarge: false };
  if (type !== "file") return { diff: { ...diff, fileType: "binary" }, isTooLarge: false };
  const old = await oldFile(files, path, { maxText });
  return old ? { diff: removedDiff(path, old), isTooLarge: old.isTooLarge } : { diff, isTooLarge: false };
}
