/**
 * One file's change as a value: a heading that names the change and the file, then rows for the removed, added
 * and surrounding lines, place by place.
 *
 * The type of a row distinguishes the file's lines from our notes. Every change is visible: tabs, spaces at the
 * end, line ends, and the number of lines that are not shown.
 */
import { lineHunks } from "../call/index.js";
import type { DiffContent, DiffHunk, FileOperation, LineHunk } from "../call/index.js";
import { countOf } from "../call/amounts.js";
import { singleHunks } from "../call/diff-hunks.js";
import { withUndone } from "./with-undone.js";
import { visibleLine, visibleName, wholeLine } from "./visible-line.js";

export type DiffCard = { readonly heading: string; readonly rows: readonly DiffRow[] };

/** One row of a diff. Line numbers count the lines of the texts that were compared, from 1. */
export type DiffRow =
  | { readonly type: "same"; readonly text: string; readonly oldLine: number; readonly newLine: number }
  | ({ readonly type: "removed"; readonly text: string; readonly oldLine: number } & MayBeUndone)
  | ({ readonly type: "added"; readonly text: string; readonly newLine: number } & MayBeUndone)
  /** A line of a patch that came as text, with the patch's own sign in it. */
  | { readonly type: "patch"; readonly text: string }
  /** `removed` and `added`: changed lines that it stands for. */
  | ({
      readonly type: "note";
      readonly text: string;
      readonly removed?: number;
      readonly added?: number;
    } & MayBeUndone);

/** `isUndone`: the line's change was undone since, and the file no longer has it. */
type MayBeUndone = { readonly isUndone?: true };

export type DiffOptions = {
  /** How many rows may come from the file's own lines; 40 unless set. */
  readonly maxLines?: number;
  /** The middle of a very long line is not left out. */
  readonly isWhole?: boolean;
  /** Hunks that were put back since, counted from 1. */
  readonly undoneHunks?: readonly number[] | undefined;
};

const MAX_LINES = 40;

export function diffCard(diff: DiffContent, options: DiffOptions = {}): DiffCard {
  const card = wholeCard(diff, options);
  const { undoneHunks } = options;
  const hunks = undoneHunks && singleHunks(diff);
  return hunks ? { ...card, rows: withUndone(card.rows, hunks, undoneHunks) } : card;
}

function wholeCard(diff: DiffContent, options: DiffOptions): DiffCard {
  const maxLines = Math.max(1, options.maxLines ?? MAX_LINES);
  const line = options.isWhole ? wholeLine : visibleLine;
  const { oldText, newText, operation, patch, hunks } = diff;
  if (hunks) return hunksCard(diff, hunks, maxLines, line);
  if (oldText === undefined && newText === undefined) {
    return patch === undefined
      ? { heading: headingOf(diff, []), rows: [] }
      : { heading: headingOf(diff, ["as a patch"]), rows: patchRows(patch, maxLines, line) };
  }
  const texts = withPlainLineEnds(oldText ?? "", newText ?? "");
  const whole = { oldLine: 1, newLine: 1, oldText: texts.before, newText: texts.after };
  const changes = changeRows([whole], maxLines, line);
  const notes = [
    ...(oldText === undefined && operation !== "add" ? ["the text before is not known"] : []),
    ...(newText === undefined && operation !== "delete" ? ["the text after is not known"] : []),
    ...(texts.hasCrlf ? ["CRLF line ends"] : []),
    ...(changes.length === 0 ? [texts.before === "" ? "empty" : "same text"] : []),
  ];
  return { heading: headingOf(diff, notes), rows: changes };
}

/** The card of a large file, of which the diff has only the changed places. */
function hunksCard(
  diff: DiffContent,
  hunks: readonly DiffHunk[],
  maxLines: number,
  show: ShowLine,
): DiffCard {
  const texts = hunks.map(({ oldText, newText }) => withPlainLineEnds(oldText, newText));
  const hasCrlf = texts.every((text) => text.hasCrlf);
  const shown = hunks.map((hunk, index) => {
    const text = hasCrlf ? texts[index] : undefined;
    return text ? { ...hunk, oldText: text.before, newText: text.after } : hunk;
  });
  const notes = [
    ...(hasCrlf ? ["CRLF line ends"] : []),
    ...(hunks.some(({ column }) => column !== undefined) ? ["long lines are cut"] : []),
  ];
  return { heading: headingOf(diff, notes), rows: changeRows(shown, maxLines, show) };
}

/** The card as lines of text, the heading first. Each line of the file stands behind one of three signs. */
export function diffLines(diff: DiffContent, options: DiffOptions = {}): readonly string[] {
  return diffCardLines(diffCard(diff, options));
}

export function diffCardLines({ heading, rows }: DiffCard): readonly string[] {
  return [heading, ...rows.map(({ type, text }) => SIGNS[type] + text)];
}

const SIGNS: Readonly<Record<DiffRow["type"], string>> = {
  same: "  ",
  removed: "- ",
  added: "+ ",
  patch: "  ",
  note: "",
};

const VERBS: Readonly<Record<FileOperation, string>> = {
  add: "add",
  modify: "edit",
  delete: "delete",
  move: "move",
  copy: "copy",
};

function headingOf(
  { operation, path, oldPath, fileType, mimeType }: DiffContent,
  notes: readonly string[],
): string {
  const from = oldPath === undefined ? "" : `${visibleName(oldPath)} to `;
  const type = fileType === undefined || fileType === "text" ? [] : [fileType];
  const all = [...type, ...(mimeType === undefined ? [] : [visibleName(mimeType)]), ...notes];
  return `${VERBS[operation]} ${from}${visibleName(path)}${all.length === 0 ? "" : ` (${all.join(", ")})`}`;
}

/** A patch has its own signs, so its lines stay unchanged. */
function patchRows(patch: string, maxLines: number, show: ShowLine): readonly DiffRow[] {
  const lines = linesOf(patch);
  return [
    ...lines.slice(0, maxLines).map((line): DiffRow => ({ type: "patch", text: shownLine(line, show) })),
    ...leftOut(lines.length - maxLines, "line", signsIn(lines.slice(maxLines))),
  ];
}

const signsIn = (lines: readonly string[]): Changed => ({
  removed: lines.filter((line) => /^-(?!-- )/.test(line)).length,
  added: lines.filter((line) => /^\+(?!\+\+ )/.test(line)).length,
});

/** Where every line ends in CRLF, one note says so in place of a mark on each line. */
function withPlainLineEnds(before: string, after: string) {
  const hasCrlf =
    [before, after].every((text) => !/(?:^|[^\r])\n/.test(text)) && `${before}${after}`.includes("\r\n");
  if (!hasCrlf) return { before, after, hasCrlf };
  return { before: before.replaceAll("\r\n", "\n"), after: after.replaceAll("\r\n", "\n"), hasCrlf };
}

const CONTEXT = 2;

/**
 * The lines that differ between the two texts of each excerpt, place by place with the lines around them, and between
 * two places how many lines stayed the same. Empty when the texts are equal.
 *
 * At most `maxLines` rows come from the texts. Changed lines come first, the lines around them get the rest of the room,
 * each place and each side has its share, and a note counts the lines that do not fit.
 */
function changeRows(excerpts: readonly DiffHunk[], maxLines: number, show: ShowLine): readonly DiffRow[] {
  const changes = excerpts.flatMap(changesOf);
  const hunks = changes.map(({ hunk }) => hunk);
  const places = placesOf(changes, maxLines);
  const rooms = roomsFor(places, maxLines);
  // A missing line end is not shown where a whole text is added or removed.
  const showsMissingEnd =
    hunks.some(({ oldLines }) => oldLines > 0) && hunks.some(({ newLines }) => newLines > 0);
  let belowLast = 0;
  const shown = places.flatMap((place, index): readonly DiffRow[] => {
    const { goes, comes, above, below } = roomWithin(place, rooms[index] ?? 0);
    const unseen = index === 0 ? 0 : place.gap - belowLast - above;
    belowLast = below;
    const { oldStart, oldLines, newStart, newLines } = place.hunk;
    return [
      ...leftOut(unseen, "unchanged line"),
      ...sameRows(place.before.slice(place.before.length - above), oldStart - above, newStart - above, show),
      ...place.removed
        .slice(0, goes)
        .flatMap((line, at) => [
          { type: "removed" as const, text: shownLine(line, show, true), oldLine: oldStart + at },
          ...missingEnd(line, showsMissingEnd),
        ]),
      ...leftOut(place.removed.length - goes, "removed line", { removed: place.removed.length - goes }),
      ...place.added
        .slice(0, comes)
        .flatMap((line, at) => [
          { type: "added" as const, text: shownLine(line, show, true), newLine: newStart + at },
          ...missingEnd(line, showsMissingEnd),
        ]),
      ...leftOut(place.added.length - comes, "added line", { added: place.added.length - comes }),
      ...sameRows(place.after.slice(0, below), oldStart + oldLines, newStart + newLines, show),
    ];
  });
  return [...shown, ...moreChanges(hunks.slice(places.length))];
}

/** One change, with the lines of its excerpt. `hunk` counts the lines of the file, `start` those of the excerpt, from 0. */
type Change = {
  readonly hunk: LineHunk;
  readonly start: { readonly old: number; readonly now: number };
  readonly old: readonly string[];
  readonly now: readonly string[];
};

function changesOf({ oldText, newText, oldLine, newLine }: DiffHunk): readonly Change[] {
  // Two pieces of a file that both lack the last line end do not differ in it.
  const ending =
    oldText !== "" && newText !== "" && !oldText.endsWith("\n") && !newText.endsWith("\n") ? "\n" : "";
  const hunks = lineHunks(oldText + ending, newText + ending);
  if (hunks.length === 0) return [];
  const old = linesOf(oldText + ending);
  const now = linesOf(newText + ending);
  return hunks.map((hunk) => ({
    hunk: { ...hunk, oldStart: hunk.oldStart + oldLine - 1, newStart: hunk.newStart + newLine - 1 },
    start: { old: hunk.oldStart - 1, now: hunk.newStart - 1 },
    old,
    now,
  }));
}

const sameRows = (
  lines: readonly string[],
  oldStart: number,
  newStart: number,
  show: ShowLine,
): readonly DiffRow[] =>
  lines.map((line, at) => ({
    type: "same",
    text: shownLine(line, show),
    oldLine: oldStart + at,
    newLine: newStart + at,
  }));

const missingEnd = (line: string, showsMissingEnd: boolean): readonly DiffRow[] =>
  showsMissingEnd && !line.endsWith("\n") ? [note("\\ no line end after this line")] : [];

type Changed = { readonly removed?: number; readonly added?: number };

const note = (text: string, changed: Changed = {}): DiffRow => ({ type: "note", text, ...changed });

type Place = {
  readonly hunk: LineHunk;
  /** How many lines stayed the same between the place before and this one. */
  readonly gap: number;
  readonly before: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly after: readonly string[];
};

/** The places that fit. Places that are near each other share the lines between them. */
function placesOf(changes: readonly Change[], maxLines: number): readonly Place[] {
  const hunks = changes.map(({ hunk }) => hunk);
  return changes.slice(0, placeCount(hunks, maxLines)).map(({ hunk, start, old, now }, index) => {
    const end = start.old + hunk.oldLines;
    const previous = hunks[index - 1];
    const next = hunks[index + 1];
    const gap = previous ? hunk.oldStart - previous.oldStart - previous.oldLines : start.old;
    const nextGap = next ? next.oldStart - hunk.oldStart - hunk.oldLines : old.length - end;
    const above = Math.min(CONTEXT, start.old, previous ? Math.floor(gap / 2) : gap);
    const below = Math.min(CONTEXT, next ? Math.ceil(nextGap / 2) : nextGap);
    return {
      hunk,
      gap,
      before: old.slice(start.old - above, start.old),
      removed: old.slice(start.old, end),
      added: now.slice(start.now, start.now + hunk.newLines),
      after: old.slice(end, end + below),
    };
  });
}

/** A place is shown when at least one line of each of its sides can be; the first one always is. */
function placeCount(hunks: readonly LineHunk[], maxLines: number): number {
  let room = maxLines;
  const tooMany = hunks.findIndex(({ oldLines, newLines }) => {
    room -= Math.min(oldLines, 1) + Math.min(newLines, 1);
    return room < 0;
  });
  return tooMany === -1 ? hunks.length : Math.max(1, tooMany);
}

function roomsFor(places: readonly Place[], maxLines: number): readonly number[] {
  const forChanges = fairShares(
    places.map(({ removed, added }) => removed.length + added.length),
    maxLines,
  );
  const left = forChanges.reduce((room, share) => room - share, maxLines);
  const forContext = fairShares(
    places.map(() => 2 * CONTEXT),
    left,
  );
  return forChanges.map((share, index) => share + (forContext[index] ?? 0));
}

/** Each side gets half of the room, plus the unused part of the other half. */
function roomWithin({ before, removed, added, after }: Place, room: number) {
  const goes = Math.min(removed.length, Math.max(Math.ceil(room / 2), room - added.length));
  const comes = Math.min(added.length, room - goes);
  const spare = room - goes - comes;
  const above = Math.min(before.length, Math.ceil(spare / 2));
  const below = Math.min(after.length, spare - above);
  return { goes, comes, above, below };
}

/** Spaces at the end show as dots only where they may be the change. */
function shownLine(line: string, show: ShowLine, dotsEnd = false): string {
  const text = line.endsWith("\n") ? line.slice(0, -1) : line;
  return show(dotsEnd ? withDots(text) : text, "→");
}

type ShowLine = (line: string, tabMark: string) => string;

/** Shows spaces at the end of a line as dots. A loop, since a pattern would try every run of spaces. */
function withDots(text: string): string {
  let end = text.length;
  while (text[end - 1] === " ") end -= 1;
  return text.slice(0, end) + "·".repeat(text.length - end);
}

function leftOut(count: number, thing: string, changed?: Changed): readonly DiffRow[] {
  return count > 0 ? [note(`… ${countOf(count, thing)} left out`, changed)] : [];
}

function moreChanges(hunks: readonly LineHunk[]): readonly DiffRow[] {
  if (hunks.length === 0) return [];
  const removed = hunks.reduce((lines, { oldLines }) => lines + oldLines, 0);
  const added = hunks.reduce((lines, { newLines }) => lines + newLines, 0);
  const lines = [
    ...(removed > 0 ? [countOf(removed, "removed line")] : []),
    ...(added > 0 ? [countOf(added, "added line")] : []),
  ];
  return [
    note(`… ${countOf(hunks.length, "more change")} left out (${lines.join(", ")})`, { removed, added }),
  ];
}

/** Lines keep their line end, because the last one may lack it and that is a difference too. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Divides the room: no share exceeds its need, and room that small needs leave goes to the large ones. */
function fairShares(needs: readonly number[], room: number): readonly number[] {
  const shares = needs.map(() => 0);
  let left = room;
  let waiting = needs.length;
  const smallestFirst = [...needs.entries()].toSorted(([, need], [, other]) => need - other);
  for (const [index, need] of smallestFirst) {
    const share = Math.min(need, Math.floor(left / waiting));
    shares[index] = share;
    left -= share;
    waiting -= 1;
  }
  return shares;
}
