/**
 * One file's change as a value: a heading that names the change and the file, then rows for the removed, added
 * and surrounding lines, place by place.
 *
 * The type of a row distinguishes the file's lines from our notes. Every change is visible: tabs, spaces at the
 * end, line ends, and the number of lines that are not shown.
 */
import type { DiffContent, FileOperation } from "../call/index.js";
import { changeRows, leftOut, linesOf, shownLine } from "./change-rows.js";
import type { DiffRow } from "./change-rows.js";
import { visibleName } from "./visible-line.js";

export type DiffCard = { readonly heading: string; readonly rows: readonly DiffRow[] };

export type DiffOptions = {
  /** How many rows may come from the file's own lines; 40 unless set. */
  readonly maxLines?: number;
};

const MAX_LINES = 40;

export function diffCard(diff: DiffContent, options: DiffOptions = {}): DiffCard {
  const maxLines = Math.max(1, options.maxLines ?? MAX_LINES);
  const { oldText, newText, operation, patch } = diff;
  if (oldText === undefined && newText === undefined) {
    return patch === undefined
      ? { heading: heading(diff, []), rows: [] }
      : { heading: heading(diff, ["as a patch"]), rows: patchRows(patch, maxLines) };
  }
  const texts = withPlainLineEnds(oldText ?? "", newText ?? "");
  const changes = changeRows(texts.before, texts.after, maxLines);
  const notes = [
    ...(oldText === undefined && operation !== "add" ? ["the text before is not known"] : []),
    ...(newText === undefined && operation !== "delete" ? ["the text after is not known"] : []),
    ...(texts.hasCrlf ? ["CRLF line ends"] : []),
    ...(changes.length === 0 ? [texts.before === "" ? "empty" : "same text"] : []),
  ];
  return { heading: heading(diff, notes), rows: changes };
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

/** A patch has its own signs, so its lines stay unchanged. */
function patchRows(patch: string, maxLines: number): readonly DiffRow[] {
  const lines = linesOf(patch);
  return [
    ...lines.slice(0, maxLines).map((line): DiffRow => ({ type: "patch", text: shownLine(line) })),
    ...leftOut(lines.length - maxLines, "line"),
  ];
}

/** Where every line ends in CRLF, one note says so in place of a mark on each line. */
function withPlainLineEnds(before: string, after: string) {
  const hasCrlf =
    [before, after].every((text) => !/(?:^|[^\r])\n/.test(text)) && `${before}${after}`.includes("\r\n");
  if (!hasCrlf) return { before, after, hasCrlf };
  return { before: before.replaceAll("\r\n", "\n"), after: after.replaceAll("\r\n", "\n"), hasCrlf };
}
