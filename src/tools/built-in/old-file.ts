/** The file that a change replaces or removes, as far as it can be shown. */
import { diffContent, fileDiff, textContent } from "../../call/index.js";
import type { DiffContent, ToolCallContent } from "../../call/index.js";
import { ToolFailure } from "../tool.js";
import type { Files } from "../workspace.js";
import { sizeText } from "../../call/amounts.js";
import { textOfBytes } from "./text-of-bytes.js";

const MAX_TEXT = 10 * 1024 * 1024;

export type OldFile = {
  readonly size: number;
  /** Not there when it is no text, or too large to be shown. */
  readonly text?: string;
  readonly isTooLarge: boolean;
};

/** Undefined when there is no file. Throws ToolFailure when something else is there. */
export async function oldFile(
  files: Files,
  path: string,
  { maxText = MAX_TEXT }: { readonly maxText?: number } = {},
): Promise<OldFile | undefined> {
  const info = await files.look(path);
  if (!info) return undefined;
  if (info.type !== "file")
    throw new ToolFailure(
      `${path} is ${info.type === "folder" ? "a folder" : "no regular file"}. Nothing was changed. Give the path of a file.`,
    );
  const isTooLarge = info.size > maxText;
  // The first bytes reveal most binary files, however large.
  const read = await files.readBytes(path, { length: isTooLarge ? 8192 : maxText });
  if (!read) return undefined;
  const { size } = read;
  if (isTooLarge) return { size, isTooLarge: !read.bytes.includes(0) };
  const decoded = textOfBytes(read.bytes);
  return { size, isTooLarge: false, ...("text" in decoded && decoded) };
}

export function replacedContent(
  path: string,
  old: OldFile | undefined,
  newText: string,
): readonly ToolCallContent[] {
  if (!old || old.text !== undefined) return [fileDiff(path, old?.text, newText)];
  const why = old.isTooLarge ? "that is too large to be shown" : "that is not text";
  const diff: DiffContent = { type: "diff", operation: "modify", path, newText };
  return [
    textContent(`Replaces a file ${why} (${sizeText(old.size)}).`),
    old.isTooLarge ? diff : { ...diff, fileType: "binary" },
  ];
}

export function removedDiff(path: string, { text, isTooLarge }: OldFile): DiffContent {
  if (text !== undefined) return diffContent(path, text, undefined);
  return { type: "diff", operation: "delete", path, fileType: isTooLarge ? "text" : "binary" };
}
