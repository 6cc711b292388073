/**
 * Finds anchors in a part that is too different for an exact search: lines that occur once on each side, or where
 * there are none, lines that occur equally often on both sides, paired in order. The anchors are the longest
 * choice of these pairs that has the same order on both sides.
 */
import type { LinePart, LinePlace } from "./line-part.js";

type FindAnchors = (part: LinePart) => {
  /** In order. */
  readonly anchors: readonly LinePlace[];
  /** No other line of the part can have stayed. */
  readonly isAll: boolean;
};

/** Created once for two lists of numbers below `idCount`, so that all searches share its counters. */
export function anchorFinder(old: Int32Array, now: Int32Array, idCount: number): FindAnchors {
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
