/**
 * Finds a small set of changed lines between two lists, in which each line is a number.
 *
 * A part is cut in two where a shortest edit path passes its middle (Myers). Where that would take too
 * many steps, the part is cut at lines that occur once on each side; without such lines or steps left,
 * the whole part counts as changed, which is correct but not minimal.
 * The budget counts steps and not time, so the same two texts always give the same result.
 */

/** About ten milliseconds. */
const MAX_STEPS = 2_000_000;
/** The maximum share of the remaining budget for one cut, so that one hard place does not starve the others. */
const SHARE = 1 / 4;
/** The cost of looking for anchors, for each line. */
const ANCHOR_STEPS = 16;

/** A part of two lists of lines: from a start up to, not including, an end on each side. */
type LinePart = {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/** An index into each of the two lists. */
type LinePlace = { readonly old: number; readonly now: number };

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
  let left = MAX_STEPS;
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

type FindMiddle = (
  part: LinePart,
  maxSteps: number,
) => { readonly middle: LinePlace | undefined; readonly steps: number };

/** The start value of a diagonal (old place minus new place), which stores the old place that a search has reached. */
const BEFORE_ALL = -1;
const BEHIND_ALL = 2 ** 31 - 1;

/**
 * Finds a place in the middle of a shortest edit path from one list to the other (Myers, "An O(ND) Difference
 * Algorithm", in linear space): one search goes forward from the start of a part, one backward from its end,
 * and where they meet each has done half of the edits.
 *
 * The part must not begin or end with equal lines. Then a path has two edits or more, and the place is
 * neither corner of the part: a cut there gives two smaller parts.
 *
 * Created once for two lists, because each search needs arrays of their length. Every index is within
 * these arrays: `?? 0` is for the compiler only.
 */
function middleFinder(old: Int32Array, now: Int32Array): FindMiddle {
  const zero = now.length + 1;
  const forward = new Int32Array(old.length + now.length + 3);
  const backward = new Int32Array(forward.length);

  return ({ oldStart, oldEnd, newStart, newEnd }, maxSteps) => {
    const lowest = zero + oldStart - newEnd;
    const highest = zero + oldEnd - newStart;
    let forwardLow = zero + oldStart - newStart;
    let forwardHigh = forwardLow;
    let backwardLow = zero + oldEnd - newEnd;
    let backwardHigh = backwardLow;
    const meetsForward = (forwardLow - backwardLow) % 2 !== 0;
    forward[forwardLow] = oldStart;
    backward[backwardLow] = oldEnd;

    let steps = 0;
    while (steps < maxSteps) {
      // Each round adds one edit on every second diagonal; diagonals outside of the part are dropped.
      if (forwardLow > lowest) forward[--forwardLow - 1] = BEFORE_ALL;
      else forwardLow += 1;
      if (forwardHigh < highest) forward[++forwardHigh + 1] = BEFORE_ALL;
      else forwardHigh -= 1;
      for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
        const inserted = forward[diagonal + 1] ?? 0;
        const deleted = (forward[diagonal - 1] ?? 0) + 1;
        const from = deleted > inserted ? deleted : inserted;
        let x = from;
        let y = x - diagonal + zero;
        while (x < oldEnd && y < newEnd && old[x] === now[y]) {
          x += 1;
          y += 1;
        }
        steps += 1 + x - from;
        forward[diagonal] = x;
        if (
          meetsForward &&
          diagonal >= backwardLow &&
          diagonal <= backwardHigh &&
          (backward[diagonal] ?? 0) <= x
        )
          return { middle: { old: x, now: y }, steps };
      }

      if (backwardLow > lowest) backward[--backwardLow - 1] = BEHIND_ALL;
      else backwardLow += 1;
      if (backwardHigh < highest) backward[++backwardHigh + 1] = BEHIND_ALL;
      else backwardHigh -= 1;
      for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
        const inserted = backward[diagonal - 1] ?? 0;
        const deleted = (backward[diagonal + 1] ?? 0) - 1;
        const from = deleted < inserted ? deleted : inserted;
        let x = from;
        let y = x - diagonal + zero;
        while (x > oldStart && y > newStart && old[x - 1] === now[y - 1]) {
          x -= 1;
          y -= 1;
        }
        steps += 1 + from - x;
        backward[diagonal] = x;
        if (
          !meetsForward &&
          diagonal >= forwardLow &&
          diagonal <= forwardHigh &&
          x <= (forward[diagonal] ?? 0)
        )
          return { middle: { old: x, now: y }, steps };
      }
    }
    return { middle: undefined, steps };
  };
}

type FindAnchors = (part: LinePart) => {
  /** In order. */
  readonly anchors: readonly LinePlace[];
  /** No other line of the part can have stayed. */
  readonly isAll: boolean;
};

/**
 * Finds anchors in a part that is too different for an exact search: lines that occur once on each side, or where
 * there are none, lines that occur equally often on both sides, paired in order. The anchors are the longest
 * choice of these pairs that has the same order on both sides.
 *
 * Created once for two lists of numbers below `idCount`, so that all searches share its counters.
 */
function anchorFinder(old: Int32Array, now: Int32Array, idCount: number): FindAnchors {
  const oldCount = new Int32Array(idCount);
  const newCount = new Int32Array(idCount);
  /** A line's first place in the old list that has no pair yet, and behind each place the next one of the same line. */
  const first = new Int32Array(idCount);
  const next = new Int32Array(old.length);

  return ({ oldStart, oldEnd, newStart, newEnd }) => {
    for (let place = oldEnd - 1; place >= oldStart; place -= 1) {
      const id = at(old, place);
      oldCount[id] = at(oldCount, id) + 1;
      next[place] = at(first, id);
      first[id] = place;
    }
    for (let place = newStart; place < newEnd; place += 1) {
      const id = at(now, place);
      newCount[id] = at(newCount, id) + 1;
    }

    const once: LinePlace[] = [];
    const often: LinePlace[] = [];
    for (let place = newStart; place < newEnd; place += 1) {
      const id = at(now, place);
      const count = at(oldCount, id);
      if (count !== at(newCount, id)) continue;
      const oldPlace = at(first, id);
      first[id] = at(next, oldPlace);
      (count === 1 ? once : often).push({ old: oldPlace, now: place });
    }

    for (let place = oldStart; place < oldEnd; place += 1) oldCount[at(old, place)] = 0;
    for (let place = newStart; place < newEnd; place += 1) newCount[at(now, place)] = 0;
    return {
      anchors: longestRise(once.length > 0 ? once : often),
      isAll: once.length === oldEnd - oldStart && once.length === newEnd - newStart,
    };
  };
}

/** The longest choice of pairs that rises in the old list too; `pairs` are in the order of the new list. */
function longestRise(pairs: readonly LinePlace[]): readonly LinePlace[] {
  // For each length, the pair that ends a rise of that length soonest in the old list, and that place.
  const ends = new Int32Array(pairs.length);
  const places = new Int32Array(pairs.length);
  const before = new Int32Array(pairs.length);
  let longest = 0;
  pairs.forEach(({ old }, index) => {
    let low = 0;
    let high = longest;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at(places, middle) < old) low = middle + 1;
      else high = middle;
    }
    ends[low] = index;
    places[low] = old;
    before[index] = at(ends, low - 1);
    if (low === longest) longest += 1;
  });
  const rise: LinePlace[] = [];
  let end = at(ends, longest - 1);
  for (let length = longest; length > 0; length -= 1) {
    rise.push(...pairs.slice(end, end + 1));
    end = at(before, end);
  }
  return rise.toReversed();
}

/** Reads within the list, or just before its start, where the value is not used. */
const at = (list: Int32Array, index: number): number => list[index] ?? 0;
