import { diffContent } from "../call/index.js";
import type { DiffHunk } from "../call/index.js";
import { diffLines } from "../view/index.js";

/** The hunks of an edit one below the other, with the numbers by which they are chosen. */
export function hunksText(
  hunks: readonly (DiffHunk & { readonly number: number; readonly isUndone?: boolean })[],
): string {
  return hunks
    .map(({ number, newLine, oldText, newText, isUndone }) => {
      // The heading of a diff would name no file.
      const rows = diffLines(diffContent("", oldText, newText)).slice(1);
      return [`hunk ${number}, line ${newLine}${isUndone === true ? ", undone" : ""}`, ...rows].join("\n");
    })
    .join("\n");
}
