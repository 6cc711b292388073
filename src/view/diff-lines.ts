/**
 * One file's change as lines: a heading that says what happens to which file, then the lines that go
 * (`- `), come (`+ `) and stay around them (`  `), place by place.
 *
 * Every line of the file stands behind one of the three signs, so none can pass for a note of ours.
 * Nothing that changed is left invisible: tabs, spaces at the end, line ends, and how many lines are not
 * shown.
 */
import type { DiffContent, FileOperation } from "../call/index.js";
import { changeLines, leftOut, linesOf, shownLine } from "./change-lines.js";
import { visibleName } from "./visible-line.js";

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
  const changes = changeLines(texts.before, texts.after, maxLines);
  const notes = [
    ...(oldText === undefined && operation !== "add" ? ["the text before is not known"] : []),
    ...(newText === undefined && operation !== "delete" ? ["the text after is not known"] : []),
    ...(texts.hasCrlf ? ["CRLF line ends"] : []),
    ...(changes.length === 0 ? [texts.before === "" ? "empty" : "same text"] : []),
  ];
  return [heading(diff, notes), ...changes];
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

function patchLines(patch: string, maxLines: number): readonly string[] {
  const lines = linesOf(patch);
  return [
    ...lines.slice(0, maxLines).map((line) => shownLine("  ", line)),
    ...leftOut(lines.length - maxLines, "line"),
  ];
}

/** Where every line ends in CRLF, that is said once and not on each line. */
function withPlainLineEnds(before: string, after: string) {
  const hasCrlf =
    [before, after].every((text) => !/(?:^|[^\r])\n/.test(text)) && `${before}${after}`.includes("\r\n");
  if (!hasCrlf) return { before, after, hasCrlf };
  return { before: before.replaceAll("\r\n", "\n"), after: after.replaceAll("\r\n", "\n"), hasCrlf };
}
