/** How long a call ran and waited: as it was measured, else by the times of its events, and never less than nothing. */
import type { CallTimes } from "./tool-call.js";

/** From its start to its end; undefined for a call that did not run, or runs. */
export function runDuration({ ranMs, started, ended }: CallTimes): number | undefined {
  return ranMs ?? between(started, ended);
}

/** From the question to its answer; undefined for a call that nobody was asked about, or that waits. */
export function waitDuration({ waitedMs, asked, answered }: CallTimes): number | undefined {
  return waitedMs ?? between(asked, answered);
}

function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}
