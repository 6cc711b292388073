/**
 * One file's change as lines: a heading that says what happens to which file, then the lines that go
 * (`- `), come (`+ `) and stay around them (`  `).
 *
 * What both texts begin and end with is taken off and the rest is shown as one change: never wrong, at
 * linear cost, though not the smallest diff when a file changes in two places. Every line of the file
 * stands behind one of the three signs, so none can pass for a note of ours. Nothing that changed is
 * left invisible: tabs, spaces at the end, line ends, and how many lines are not shown.
 */
import type { DiffContent, FileOperation } from "../call/index.js";
import { countOf } from "./amounts.js";
import { visibleLine, visibleName } from "./visible-line.js";

const CONTEXT = 2;
const MAX_LINES = 40;

/** The first line is always the heading; of the file's own lines there are at most `maxLines`. */
export function diffLines(
  diff: DiffContent,
  options: { readonly maxLines?: number } = {},
): readonly string[] {
  const maxLines = Math.max(1, options.maxLines ?? MAX_LINES);
  const { oldText, newText, operation, patch } = diff;
  if (oldText === undefined && newText === undefined) {
    return patch === undefined
      ? [heading(diff, [])]
      : [heading(diff, ["as a patch"]), ...patchLines(patch, maxLines)];
  }
  const texts = withPlainLineEnds(oldText ?? "", newText ?? "");
  const change = changeBetween(texts.before, texts.after);
  const isSame = change.removed.length === 0 && change.added.length === 0;
  const notes = [
    ...(oldText === undefined && operation !== "add" ? ["the text before is not known"] : []),
    ...(newText === undefined && operation !== "delete" ? ["the text after is not known"] : []),
    ...(texts.hasCrlf ? ["CRLF line ends"] : []),
    ...(isSame ? [texts.before === "" ? "empty" : "same text"] : []),
  ];
  return [heading(diff, notes), ...(isSame ? [] : changeLines(change, maxLines))];
}

const VERBS: Readonly<Record<FileOperation, string>> = {
  add: "add",
  modify: "edit",
  delete: "delete",
  move: "move",
  copy: "copy",
};

function heading(
  { operation, path, oldPath, fileType, mimeType }: DiffContent,
  notes: readonly string[],
): string {
  const from = oldPath === undefined ? "" : `${visibleName(oldPath)} to `;
  const type = fileType === undefined || fileType === "text" ? [] : [fileType];
  const all = [...type, ...(mimeType === undefined ? [] : [visibleName(mimeType)]), ...notes];
  return `${VERBS[operation]} ${from}${visibleName(path)}${all.length === 0 ? "" : ` (${all.join(", ")})`}`;
}

type Change = {
  readonly before: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly after: readonly string[];
};

/** Lines keep their line end, because the last one may lack it and that is a difference too. */
function changeBetween(oldText: string, newText: string): Change {
  // Two pieces of a file both stop short of a line end: that is no difference.
  const ending =
    oldText !== "" && newText !== "" && !oldText.endsWith("\n") && !newText.endsWith("\n") ? "\n" : "";
  const old = linesOf(oldText + ending);
  const now = linesOf(newText + ending);
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return {
    before: old.slice(Math.max(0, start - CONTEXT), start),
    removed: old.slice(start, old.length - end),
    added: now.slice(start, now.length - end),
    after: old.slice(old.length - end, old.length - end + CONTEXT),
  };
}

function changeLines({ before, removed, added, after }: Change, maxLines: number): readonly string[] {
  // Each side gets half of the room, and what the other side leaves of its half.
  const goes = Math.min(removed.length, Math.max(Math.ceil(maxLines / 2), maxLines - added.length));
  const comes = Math.min(added.length, maxLines - goes);
  const spare = maxLines - goes - comes;
  const above = Math.min(before.length, Math.ceil(spare / 2));
  const below = Math.min(after.length, spare - above);
  const hasBothEnds = removed.length > 0 && added.length > 0;
  return [
    ...before.slice(before.length - above).map((line) => shown("  ", line)),
    ...removed.slice(0, goes).flatMap((line) => changed("- ", line, hasBothEnds)),
    ...leftOut(removed.length - goes, "removed line"),
    ...added.slice(0, comes).flatMap((line) => changed("+ ", line, hasBothEnds)),
    ...leftOut(added.length - comes, "added line"),
    ...after.slice(0, below).map((line) => shown("  ", line)),
  ];
}

function changed(sign: string, line: string, tellsEnd: boolean): readonly string[] {
  const visible = shown(sign, line, true);
  return tellsEnd && !line.endsWith("\n") ? [visible, "\\ no line end after this line"] : [visible];
}

function shown(sign: string, line: string, dotsEnd = false): string {
  const text = line.endsWith("\n") ? line.slice(0, -1) : line;
  return sign + visibleLine(dotsEnd ? withDots(text) : text, "→");
}

/** Spaces at the end of a line as dots. A loop, since a pattern would try every run of spaces there is. */
function withDots(text: string): string {
  let end = text.length;
  while (text[end - 1] === " ") end -= 1;
  return text.slice(0, end) + "·".repeat(text.length - end);
}

function leftOut(count: number, thing: string): readonly string[] {
  return count > 0 ? [`… ${countOf(count, thing)} left out`] : [];
}

function patchLines(patch: string, maxLines: number): readonly string[] {
  const lines = linesOf(patch);
  return [
    ...lines.slice(0, maxLines).map((line) => shown("  ", line)),
    ...leftOut(lines.length - maxLines, "line"),
  ];
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Where every line ends in CRLF, that is said once and not on each line. */
function withPlainLineEnds(before: string, after: string) {
  const hasCrlf =
    [before, after].every((text) => !/(?:^|[^\r])\n/.test(text)) && `${before}${after}`.includes("\r\n");
  if (!hasCrlf) return { before, after, hasCrlf };
  return { before: before.replaceAll("\r\n", "\n"), after: after.replaceAll("\r\n", "\n"), hasCrlf };
}
