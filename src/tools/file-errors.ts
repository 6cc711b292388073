/** Errors of the file system as messages that a model can act on. */
import type { Stats } from "node:fs";
import { errorCode } from "../call/error-code.js";
import { ToolFailure } from "./tool.js";
import type { Files, FolderEntry } from "./workspace.js";

/** The attempted action: `cannot` completes "it cannot be …", `didNot` says what did not happen, `next` what to do. */
export type FileAction = { readonly cannot: string; readonly didNot: string; readonly next: string };

export const READ: FileAction = {
  cannot: "read",
  didNot: "Nothing was read.",
  next: "Check the path and its permissions.",
};
export const WRITE: FileAction = {
  cannot: "written",
  didNot: "Nothing was changed.",
  next: "Check its permissions and the disk.",
};

const ERROR_TEXTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "nothing is there"],
  ["ENOTDIR", "a part of the path is a file"],
  ["EEXIST", "something is there already"],
  ["ELOOP", "its links lead in a circle"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
  ["EBUSY", "it is in use"],
  ["ENXIO", "it is a device, pipe or socket"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["ENAMETOOLONG", "it is too long"],
]);

/** The text of an error, with its code. */
export function fileErrorText(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) return String(error);
  const words = ERROR_TEXTS.get(code);
  return words === undefined ? code : `${words} (${code})`;
}

/** Runs the act, and turns a file system error into a ToolFailure. */
export async function explainFileErrors<T>(
  path: string,
  deed: FileAction,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure(
      `${path} cannot be ${deed.cannot}: ${fileErrorText(error)}. ${deed.didNot} ${deed.next}`,
      { cause: error },
    );
  }
}

export function mustBeFile(path: string, stats: Stats, didNot: string): void {
  if (stats.isFile()) return;
  const what = stats.isDirectory() ? "a folder" : "a device, pipe or socket";
  throw new ToolFailure(`${path} is ${what}, not a file. ${didNot} Give the path of a file.`);
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

/** The entries of a folder; none for a file, and for a folder that cannot be listed. */
export async function listedOrNone(folder: string, files: Files): Promise<readonly FolderEntry[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}
