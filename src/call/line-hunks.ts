/**
 * Finds the lines that differ between two texts, for all code that shows, sends or counts a change.
 *
 * Exact: the old lines with the hunks applied are the new lines. A line is compared with its line end, so a
 * last line that lacks one and a CRLF that became LF are differences. Never slow: the common start and end of
 * the texts are compared in large pieces, and only the lines between are searched, under a budget of steps
 * (changed-lines.ts).
 */
import { changedLines } from "./changed-lines.js";
import type { Location } from "./content.js";

/** A run of lines that changed. Starts count from 1; with no lines on a side, its start is the line before which they would stand. */
export type LineHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
};

/** The hunks in order, with at least one unchanged line between any two. */
export function lineHunks(oldText: string, newText: string): readonly LineHunk[] {
  if (oldText === newText) return [];
  const { start, oldEnd, newEnd } = middleOf(oldText, newText);
  const known = new Map<string, number>();
  const old = lineIds(oldText, start, oldEnd, known);
  const now = lineIds(newText, start, newEnd, known);
  const line = 1 + lineCount(oldText, start);
  // Most edits change one line, or only add or remove some: none of these lines has stayed.
  if (old.length * now.length <= 1)
    return [{ oldStart: line, oldLines: old.length, newStart: line, newLines: now.length }];
  return hunksOf(changedLines(old, now, known.size), line);
}

/** The range in which the two texts differ, in whole lines. */
function middleOf(oldText: string, newText: string) {
  const shorter = Math.min(oldText.length, newText.length);
  const head = sharedStart(oldText, newText, shorter);
  const start = head === 0 ? 0 : oldText.lastIndexOf("\n", head - 1) + 1;
  const tail = sharedEnd(oldText, newText, shorter - start);
  const oldEnd = oldText.length - tail;
  const newEnd = newText.length - tail;
  if (isLineStart(oldText, oldEnd) && isLineStart(newText, newEnd)) return { start, oldEnd, newEnd };
  const lineEnd = oldText.indexOf("\n", oldEnd);
  const cut = lineEnd === -1 ? tail : lineEnd + 1 - oldEnd;
  return { start, oldEnd: oldEnd + cut, newEnd: newEnd + cut };
}

/** Comparing two slices is far faster than comparing their characters one by one. */
const MAX_PIECE_LENGTH = 2 ** 16;

export function sharedStart(a: string, b: string, most: number): number {
  let shared = 0;
  for (let piece = MAX_PIECE_LENGTH; piece >= 1; piece /= 2) {
    while (shared + piece <= most && a.slice(shared, shared + piece) === b.slice(shared, shared + piece))
      shared += piece;
  }
  return shared;
}

export function sharedEnd(a: string, b: string, most: number): number {
  let shared = 0;
  for (let piece = MAX_PIECE_LENGTH; piece >= 1; piece /= 2) {
    while (
      shared + piece <= most &&
      a.slice(a.length - shared - piece, a.length - shared) ===
        b.slice(b.length - shared - piece, b.length - shared)
    )
      shared += piece;
  }
  return shared;
}

const isLineStart = (text: string, at: number): boolean => at === 0 || text[at - 1] === "\n";

function lineCount(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at = text.indexOf("\n", at) + 1) count += 1;
  return count;
}

/** Maps each line to a number; equal lines have the same number. */
function lineIds(text: string, start: number, end: number, known: Map<string, number>): Int32Array {
  const ids: number[] = [];
  for (let at = start; at < end;) {
    const lineEnd = text.indexOf("\n", at);
    const next = lineEnd === -1 ? end : lineEnd + 1;
    ids.push(idOf(text.slice(at, next), known));
    at = next;
  }
  return Int32Array.from(ids);
}

/** Engines do not hash the text of a very long key, so all such lines would be compared with each other. */
const MAX_KEY_LENGTH = 8192;

function idOf(line: string, known: Map<string, number>): number {
  if (line.length > MAX_KEY_LENGTH) return idOf(pieceKey(line, known), known);
  const id = known.get(line);
  if (id !== undefined) return id;
  known.set(line, known.size);
  return known.size - 1;
}

/** The ids of a long line's pieces after a line feed. A line has a line feed only at its end, so no line equals a key. */
function pieceKey(line: string, known: Map<string, number>): string {
  const ids: number[] = [];
  for (let at = 0; at < line.length; at += MAX_KEY_LENGTH)
    ids.push(idOf(line.slice(at, at + MAX_KEY_LENGTH), known));
  return `\n${ids.join(",")}`;
}

/** An editor that follows along opens each of them. */
const MAX_LOCATIONS = 50;

/** The places where a file changes: one for each run of changed lines, as it stands in the new text. */
export function hunkLocations(path: string, oldText: string, newText: string): readonly Location[] {
  const hunks = lineHunks(oldText, newText).slice(0, MAX_LOCATIONS);
  return hunks.length === 0 ? [{ path }] : hunks.map(({ newStart }) => ({ path, line: newStart }));
}

function hunksOf(
  { removed, added }: { readonly removed: Uint8Array; readonly added: Uint8Array },
  firstLine: number,
): readonly LineHunk[] {
  const hunks: LineHunk[] = [];
  let old = 0;
  let now = 0;
  while (old < removed.length || now < added.length) {
    const oldStart = old;
    const newStart = now;
    while (removed[old] === 1) old += 1;
    while (added[now] === 1) now += 1;
    if (old === oldStart && now === newStart) {
      old += 1;
      now += 1;
      continue;
    }
    hunks.push({
      oldStart: firstLine + oldStart,
      oldLines: old - oldStart,
      newStart: firstLine + newStart,
      newLines: now - newStart,
    });
  }
  return hunks;
}
