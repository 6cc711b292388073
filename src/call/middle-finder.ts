/**
 * A place in the middle of a shortest way of edits from one list to the other (Myers, "An O(ND) Difference
 * Algorithm", in linear space): one search goes forward from the start of a part, one back from its end,
 * and where they meet they have each done half of the edits.
 *
 * The part must not begin or end with equal lines. Then a way has two edits or more, and the place is
 * neither corner of the part: whoever cuts there gets two smaller parts.
 */
import type { LinePart, LinePlace } from "./line-part.js";

type FindMiddle = (
  part: LinePart,
  maxSteps: number,
) => { readonly middle: LinePlace | undefined; readonly steps: number };

/** On each diagonal (place in the old list less place in the new) the old place that a search has come to. */
const BEFORE_ALL = -1;
const BEHIND_ALL = 2 ** 31 - 1;

/**
 * Made once for two lists, because each search needs as much room as they are long. Every index is within
 * that room: `?? 0` is for the compiler only.
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
      // One edit further on every second diagonal; those outside of the part are not gone on with.
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
