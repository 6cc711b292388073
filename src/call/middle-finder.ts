/**
 * Finds a place in the middle of a shortest edit path from one list to the other (Myers, "An O(ND) Difference
 * Algorithm", in linear space): one search goes forward from the start of a part, one backward from its end,
 * and where they meet each has done half of the edits.
 *
 * The part must not begin or end with equal lines. Then a path has two edits or more, and the place is
 * neither corner of the part: a cut there gives two smaller parts.
 */
import type { LinePart, LinePlace } from "./line-part.js";

type FindMiddle = (
  part: LinePart,
  maxSteps: number,
) => { readonly middle: LinePlace | undefined; readonly steps: number };

/** The start value of a diagonal (old place minus new place), which stores the old place that a search has reached. */
const BEFORE_ALL = -1;
const BEHIND_ALL = 2 ** 31 - 1;

/**
 * Created once for two lists, because each search needs arrays of their length. Every index is within
 * these arrays: `?? 0` is for the compiler only.
 */
export function middleFinder(old: Int32Array, now: Int32Array): FindMiddle {
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
