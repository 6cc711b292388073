/**
 * The body of a unified diff: the lines that go (`-`), come (`+`) and stay around them (` `), as git and
 * every patch program read it. A last line without a line end is followed by the note that says so.
 */
import { hunksInContext, lineHunks } from "../../call/index.js";
import type { DiffHunk } from "../../call/index.js";

/** Empty when the texts are the same. */
export function unifiedHunks(oldText: string, newText: string): string {
  return hunksInContext(oldText, newText).map(unifiedHunk).join("");
}

/** One hunk, whose texts must be whole lines. */
export function unifiedHunk({ oldLine, newLine, oldText, newText }: DiffHunk): string {
  const old = oldText.split("\n");
  const now = newText.split("\n");
  let text = `@@ -${range(oldLine, lineCount(old))} +${range(newLine, lineCount(now))} @@\n`;
  let next = 1;
  for (const { oldStart, oldLines, newStart, newLines } of lineHunks(oldText, newText)) {
    text += signedLines(" ", old, next, oldStart);
    next = oldStart + oldLines;
    text += signedLines("-", old, oldStart, next);
    text += signedLines("+", now, newStart, newStart + newLines);
  }
  return text + signedLines(" ", old, next, lineCount(old) + 1);
}

/** A text that ends in a line end has an empty string behind it, which is no line. */
const lineCount = (lines: readonly string[]): number => lines.length - (lines.at(-1) === "" ? 1 : 0);

/** Lines count from 1; `to` is the first that is left out. */
function signedLines(sign: string, lines: readonly string[], from: number, to: number): string {
  let text = "";
  for (let line = from; line < to; line += 1) text += `${sign}${lines[line - 1] ?? ""}\n`;
  // Behind the last piece of a split text no line end stood.
  return to > from && to > lines.length ? `${text}\\ No newline at end of file\n` : text;
}

/** An empty range starts on the line before it. */
function range(start: number, count: number): string {
  return count === 0 ? `${start - 1},0` : `${start},${count}`;
}
