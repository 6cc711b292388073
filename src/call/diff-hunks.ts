/**
 * The changed lines of a file with some unchanged lines around them: all that a diff of a large file holds.
 *
 * Exact: the old text with the hunks applied is the new text, unless a long line was cut. The unchanged lines reach up to
 * the line that marks a secret below it, so that redaction finds in a hunk what it finds in the file.
 */
import { ownCopy } from "./bounded-text.js";
import type { DiffContent, DiffHunk } from "./content.js";
import { lineHunks, sharedEnd, sharedStart } from "./line-hunks.js";

/** Unchanged lines on each side of a change. */
const CONTEXT_LINES = 3;
/** Unchanged characters on each side of a change: cuts lines that are longer. */
const CONTEXT_LENGTH = 4096;
/** Editors show each hunk as a diff of its own, so neighbours are joined until there are no more than this. */
const MAX_HUNKS = 100;

/** The hunks of a diff; undefined when they would be no shorter than both texts. */
export function shortHunks(oldText: string, newText: string): readonly DiffHunk[] | undefined {
  const hunks = hunksOf(joined(contextGroups(oldText, newText)), oldText, newText).map((hunk) => {
    const short = withShortLines(hunk);
    return { ...short, oldText: ownText(short.oldText, oldText), newText: ownText(short.newText, newText) };
  });
  const length = hunks.reduce((sum, hunk) => sum + hunk.oldText.length + hunk.newText.length, 0);
  return length < oldText.length + newText.length ? hunks : undefined;
}

/** A session keeps the hunks of every large file that it changed; they must not keep the whole files in memory. */
const ownText = (part: string, whole: string): string =>
  part.length < whole.length / 2 ? ownCopy(part) : part;

/** All changes in order; changes with touching context lines form one hunk. */
export function hunksInContext(oldText: string, newText: string): readonly DiffHunk[] {
  return hunksOf(contextGroups(oldText, newText), oldText, newText);
}

/** The hunks of a diff that are shown and counted: its own, or those of its two texts. Empty where it has only one text. */
export function hunksOfDiff({ operation, oldText, newText, hunks }: DiffContent): readonly DiffHunk[] {
  if (hunks) return hunks;
  if (operation !== "modify" || oldText === undefined || newText === undefined) return [];
  return hunksInContext(oldText, newText);
}

/** The changes as an undo counts them; undefined where a hunk of the diff may be several of them. */
export function singleHunks(diff: DiffContent): readonly DiffHunk[] | undefined {
  const mayBeJoined = diff.hunks !== undefined && diff.hunks.length > MAX_HUNKS / 2;
  return mayBeJoined ? undefined : hunksOfDiff(diff);
}

/** A hunk by its number in its diff, and the line of the old text where it changes something. */
export type RejectedHunk = { readonly number: number; readonly line: number };

export type PartOfChange = {
  readonly text: string;
  /** The kept hunks as they replace each other's lines. */
  readonly kept: readonly Pick<DiffHunk, "oldText" | "newText">[];
  readonly rejected: readonly RejectedHunk[];
};

/** The change with only some of its hunks, numbered from 1 as `hunksOfDiff` has them. Undefined for a number that none has. */
export function partOfChange(
  diff: DiffContent,
  { oldText, newText }: { readonly oldText: string; readonly newText: string },
  numbers: readonly number[],
): PartOfChange | undefined {
  const all = contextGroups(oldText, newText);
  const groups = diff.hunks ? joined(all) : all;
  if (!numbers.every((number) => groups[number - 1] !== undefined)) return undefined;
  const old = new LineReader(oldText);
  const hunks = hunksOf(groups, oldText, newText);
  const isKept = (index: number): boolean => numbers.includes(index + 1);
  let line = 1;
  const pieces = groups.map(({ oldStart, oldEnd }, index) => {
    const before = old.lines(line, oldStart);
    line = oldEnd;
    const hunk = hunks[index];
    return before + ((isKept(index) ? hunk?.newText : hunk?.oldText) ?? "");
  });
  return {
    text: pieces.join("") + oldText.slice(old.start(line)),
    kept: hunks.filter((_, index) => isKept(index)),
    rejected: groups.flatMap(({ changedLine }, index) =>
      isKept(index) ? [] : [{ number: index + 1, line: changedLine }],
    ),
  };
}

/** Line ranges of both texts; the ends are not included. `changedLine`: the first line of the old text that changes. */
type Group = {
  readonly oldStart: number;
  readonly newStart: number;
  readonly changedLine: number;
  oldEnd: number;
  newEnd: number;
};

function contextGroups(oldText: string, newText: string): readonly Group[] {
  const old = new LineReader(oldText);
  const now = new LineReader(newText);
  const groups: Group[] = [];
  for (const { oldStart, oldLines, newStart, newLines } of lineHunks(oldText, newText)) {
    const wanted = Math.max(linesAbove(old, oldStart), linesAbove(now, newStart));
    const above = Math.min(wanted, oldStart - 1, newStart - 1);
    const [oldEnd, newEnd] = [oldStart + oldLines + CONTEXT_LINES, newStart + newLines + CONTEXT_LINES];
    const last = groups.at(-1);
    if (last && oldStart - above <= last.oldEnd) Object.assign(last, { oldEnd, newEnd });
    else
      groups.push({
        oldStart: oldStart - above,
        newStart: newStart - above,
        changedLine: oldStart,
        oldEnd,
        newEnd,
      });
  }
  return groups;
}

function hunksOf(groups: readonly Group[], oldText: string, newText: string): readonly DiffHunk[] {
  const old = new LineReader(oldText);
  const now = new LineReader(newText);
  return groups.map(({ oldStart, newStart, oldEnd, newEnd }) => ({
    oldLine: oldStart,
    newLine: newStart,
    oldText: old.lines(oldStart, oldEnd),
    newText: now.lines(newStart, newEnd),
  }));
}

/** Finds lines by their number. Numbers must not go far back: the search starts at the line found before. */
class LineReader {
  readonly text: string;
  #line = 1;
  #at = 0;
  #hasKeys: boolean | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get hasKeys(): boolean {
    return (this.#hasKeys ??= this.text.includes(KEY_BEGIN));
  }

  /** The start of the line; the end of the text when there are fewer lines. */
  start(line: number): number {
    for (; this.#line > line; this.#line -= 1) this.#at = lineStart(this.text, this.#at - 1);
    for (; this.#line < line && this.#at < this.text.length; this.#line += 1) {
      const end = this.text.indexOf("\n", this.#at);
      this.#at = end === -1 ? this.text.length : end + 1;
    }
    return this.#at;
  }

  lines(from: number, to: number): string {
    const start = this.start(from);
    return this.text.slice(start, this.start(to));
  }
}

/** The start of the line with this character. */
const lineStart = (text: string, at: number): number => (at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);

/** The number of context lines above a line. */
function linesAbove(reader: LineReader, line: number): number {
  const from = reader.start(Math.max(1, line - CONTEXT_LINES));
  const start = markedStart(reader, from);
  return Math.min(CONTEXT_LINES, line - 1) + reader.text.slice(start, from).split("\n").length - 1;
}

/** A private key is not longer. */
const MAX_KEY_LENGTH = 16 * 1024;
const KEY_BEGIN = "-----BEGIN";
/** The end of a text after which a secret may follow: a name and `:` or `=`, an option, a scheme. */
const MARKS_SECRET =
  /(?:[\w.-]\\?["'`]?\s*[:=]\s*\\?["'`]?|--[\w.-]+|basic|bearer|token|digest|negotiate|apikey)\s*$/i;
const MAX_MARK_LENGTH = 100;

const isMarked = (text: string, at: number): boolean =>
  MARKS_SECRET.test(text.slice(Math.max(0, at - MAX_MARK_LENGTH), at));

/** The start of the line that makes the text at this place a secret, or the place itself. */
function markedStart({ text, hasKeys }: LineReader, at: number): number {
  const key = hasKeys ? keyStart(text, at) : undefined;
  if (key !== undefined) return lineStart(text, key);
  return isMarked(text, at) ? lineStart(text, at - 1) : at;
}

/** The start of the private key that contains this place. */
function keyStart(text: string, at: number): number | undefined {
  const before = text.slice(Math.max(0, at - MAX_KEY_LENGTH), at);
  const key = before.lastIndexOf(KEY_BEGIN);
  return key > before.lastIndexOf("-----END") ? at - before.length + key : undefined;
}

function joined(groups: readonly Group[]): readonly Group[] {
  const size = Math.ceil(groups.length / MAX_HUNKS);
  return groups.flatMap((first, index) => {
    if (index % size !== 0) return [];
    const { oldEnd, newEnd } = groups[Math.min(index + size, groups.length) - 1] ?? first;
    return [{ ...first, oldEnd, newEnd }];
  });
}

/** Cuts unchanged text that is longer than lines should be, at places where no secret is cut in two. */
function withShortLines(hunk: DiffHunk): DiffHunk {
  const { oldText, newText } = hunk;
  const shorter = Math.min(oldText.length, newText.length);
  const head = sharedStart(oldText, newText, shorter);
  const tail = sharedEnd(oldText, newText, shorter - head);
  const start = head <= CONTEXT_LENGTH ? 0 : cutStart(oldText, head);
  const cut = tail <= CONTEXT_LENGTH ? 0 : tail - shownLength(oldText.slice(oldText.length - tail));
  if (start === 0 && cut === 0) return hunk;
  const lines = oldText.slice(0, start).split("\n").length - 1;
  return {
    oldLine: hunk.oldLine + lines,
    newLine: hunk.newLine + lines,
    column: 1 + start - lineStart(oldText, start),
    oldText: oldText.slice(start, oldText.length - cut),
    newText: newText.slice(start, newText.length - cut),
  };
}

/** Stands between values; quotes and colons may stand within one. */
const isDelimiter = (text: string, at: number): boolean => /[\s,;&{}]/.test(text.charAt(at));

/** A place before the change where a value begins that nothing marks as a secret. */
function cutStart(text: string, head: number): number {
  for (let at = head - CONTEXT_LENGTH + 1; at <= head; at += 1)
    if (isDelimiter(text, at - 1) && !isMarked(text, at)) return keyStart(text, at) ?? at;
  return head - (isLowSurrogate(text, head) ? 1 : 0);
}

/** How much of the unchanged text after a change is shown: up to the end of a value. */
function shownLength(tail: string): number {
  for (let at = CONTEXT_LENGTH; at > 0; at -= 1) if (isDelimiter(tail, at - 1)) return at;
  return isLowSurrogate(tail, 0) ? 1 : 0;
}

const isLowSurrogate = (text: string, at: number): boolean => /^[\uDC00-\uDFFF]/.test(text.charAt(at));
