/**
 * What happens together: in one turn of the event loop, but for no longer than it takes to notice. The first thing of a
 * moment is done at once, and what else comes in it is done together at its end.
 */
const LONGEST_MILLISECONDS = 2;

let moment = 0;
let begunAt = 0;
let isUnderWay = false;

/** The number of the moment that is now. */
export function thisMoment(): number {
  const now = performance.now();
  if (!isUnderWay) {
    isUnderWay = true;
    begunAt = now;
    setImmediate(end);
  } else if (now - begunAt > LONGEST_MILLISECONDS) {
    moment += 1;
    begunAt = now;
  }
  return moment;
}

function end(): void {
  isUnderWay = false;
  moment += 1;
}
