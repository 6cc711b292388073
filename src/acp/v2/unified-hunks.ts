/**
 * The body of a unified diff: the lines that go (`-`), come (`+`) and stay around them (` `), as git and
 * every patch program read it. A last line without a line end is followed by the note that says so.
 */
import { lineHunks } from "../../call/index.js";
import type { LineHunk } from "../../call/index.js";

const CONTEXT = 3;

/** Empty when the texts are the same. */
export function unifiedHunks(oldText: string, newText: string): string {
  const hunks = lineHunks(oldText, newText);
  if (hunks.length === 0) return "";
  const old = oldText.split("\n");
  const now = newText.split("\n");
  return groupsOf(hunks)
    .map((group) => groupText(group, old, now))
    .join("");
}

type Group = { readonly first: LineHunk; readonly hunks: LineHunk[]; last: LineHunk };

/** Hunks whose lines of context would touch are joined. */
function groupsOf(hunks: readonly LineHunk[]): readonly Group[] {
  const groups: Group[] = [];
  for (const hunk of hunks) {
    const group = groups.at(-1);
    if (group && hunk.oldStart - group.last.oldStart - group.last.oldLines <= 2 * CONTEXT) {
      group.hunks.push(hunk);
      group.last = hunk;
    } else groups.push({ first: hunk, hunks: [hunk], last: hunk });
  }
  return groups;
}

function groupText(group: Group, old: readonly string[], now: readonly string[]): string {
  const { first, last } = group;
  const above = Math.min(CONTEXT, first.oldStart - 1);
  const below = Math.min(CONTEXT, lineCount(old) + 1 - last.oldStart - last.oldLines);
  const oldStart = first.oldStart - above;
  const newStart = first.newStart - above;
  const oldEnd = last.oldStart + last.oldLines + below;
  const newEnd = last.newStart + last.newLines + below;

  let text = `@@ -${range(oldStart, oldEnd)} +${range(newStart, newEnd)} @@\n`;
  let next = oldStart;
  for (const hunk of group.hunks) {
    text += signedLines(" ", old, next, hunk.oldStart);
    next = hunk.oldStart + hunk.oldLines;
    text += signedLines("-", old, hunk.oldStart, next);
    text += signedLines("+", now, hunk.newStart, hunk.newStart + hunk.newLines);
  }
  return text + signedLines(" ", old, next, oldEnd);
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
function range(start: number, end: number): string {
  return start === end ? `${start - 1},0` : `${start},${end - start}`;
}
