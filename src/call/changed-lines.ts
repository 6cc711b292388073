/**
 * Finds a small set of changed lines between two lists, in which each line is a number.
 *
 * A part is cut in two where a shortest edit path passes its middle (Myers). Where that would take too
 * many steps, the part is cut at lines that occur once on each side; without such lines or steps left,
 * the whole part counts as changed, which is correct but not minimal.
 * The budget counts steps and not time, so the same two texts always give the same result.
 */
import { anchorFinder } from "./anchor-finder.js";
import type { LinePart, LinePlace } from "./line-part.js";
import { middleFinder } from "./middle-finder.js";

/** About ten milliseconds. */
const STEPS = 2_000_000;
/** No cut takes more than this part of what is left, so that one hard place does not starve the others. */
const SHARE = 1 / 4;
/** The cost of looking for anchors, for each line. */
const ANCHOR_STEPS = 16;

type ChangedLines = { readonly removed: Uint8Array; readonly added: Uint8Array };

/** A 1 for each line that goes or comes. The lines with a 0 are the same on both sides, in the same order. */
export function changedLines(old: Int32Array, now: Int32Array, idCount: number): ChangedLines {
  const removed = new Uint8Array(old.length).fill(1);
  const added = new Uint8Array(now.length).fill(1);
  // Lines that only one side has are changed anyway; without them the search is shorter and as exact.
  const oldPlaces = sharedPlaces(old, now, idCount);
  const newPlaces = sharedPlaces(now, old, idCount);
  keepEqualLines(
    oldPlaces.map((place) => old[place] ?? 0),
    newPlaces.map((place) => now[place] ?? 0),
    idCount,
    (oldIndex, newIndex) => {
      removed[oldPlaces[oldIndex] ?? 0] = 0;
      added[newPlaces[newIndex] ?? 0] = 0;
    },
  );
  return { removed, added };
}

function sharedPlaces(lines: Int32Array, others: Int32Array, idCount: number): Int32Array {
  const isThere = new Uint8Array(idCount);
  for (const id of others) isThere[id] = 1;
  const places = new Int32Array(lines.length);
  let count = 0;
  lines.forEach((id, place) => {
    if (isThere[id] === 1) places[count++] = place;
  });
  return places.subarray(0, count);
}

/** Called for each unchanged line. */
type Keep = (oldIndex: number, newIndex: number) => void;

function keepEqualLines(old: Int32Array, now: Int32Array, idCount: number, keep: Keep): void {
  const findMiddle = middleFinder(old, now);
  const findAnchors = anchorFinder(old, now, idCount);
  let left = STEPS;
  const todo: LinePart[] = [{ oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: now.length }];
  for (let whole = todo.pop(); whole; whole = todo.pop()) {
    const part = withoutEqualEnds(old, now, whole, keep);
    if (part.oldStart === part.oldEnd || part.newStart === part.newEnd || left <= 0) continue;
    const { middle, steps } = findMiddle(part, left * SHARE);
    left -= steps;
    if (middle) {
      todo.push(
        { ...part, oldEnd: middle.old, newEnd: middle.now },
        { ...part, oldStart: middle.old, newStart: middle.now },
      );
      continue;
    }
    left -= ANCHOR_STEPS * (part.oldEnd - part.oldStart + part.newEnd - part.newStart);
    const { anchors, isAll } = findAnchors(part);
    for (const anchor of anchors) keep(anchor.old, anchor.now);
    if (!isAll) for (const between of partsBetween(part, anchors)) todo.push(between);
  }
}

function withoutEqualEnds(old: Int32Array, now: Int32Array, part: LinePart, keep: Keep): LinePart {
  let { oldStart, oldEnd, newStart, newEnd } = part;
  while (oldStart < oldEnd && newStart < newEnd && old[oldStart] === now[newStart])
    keep(oldStart++, newStart++);
  while (oldStart < oldEnd && newStart < newEnd && old[oldEnd - 1] === now[newEnd - 1])
    keep(--oldEnd, --newEnd);
  return { oldStart, oldEnd, newStart, newEnd };
}

/** Empty without an anchor, since the part would not get smaller. */
function partsBetween(part: LinePart, anchors: readonly LinePlace[]): readonly LinePart[] {
  if (anchors.length === 0) return [];
  const parts: LinePart[] = [];
  let { oldStart, newStart } = part;
  for (const { old, now } of anchors) {
    parts.push({ oldStart, oldEnd: old, newStart, newEnd: now });
    oldStart = old + 1;
    newStart = now + 1;
  }
  parts.push({ ...part, oldStart, newStart });
  return parts;
}
