/**
 * What a request that comes again was answered with: the part of the log between the pause that it ended
 * and the next one.
 */
import type { SessionEvent } from "../call/index.js";

/** The log as it was when the request first came, and what came of it; unfinished when nothing came last. */
export type RecordedResponse = {
  readonly before: readonly SessionEvent[];
  readonly response: readonly SessionEvent[];
  readonly end: SessionEvent | undefined;
};

const ENDS: ReadonlySet<string> = new Set([
  "call-done",
  "call-failed",
  "call-refused",
  "call-cancelled",
  "call-lost",
]);

export function recordedResponse(
  log: readonly SessionEvent[],
  toolCallIds: ReadonlySet<string>,
): RecordedResponse {
  const step = log.findLastIndex(
    (event) =>
      (event.type === "step-ended" || event.type === "child-stepped") &&
      event.toolCallIds.some((id) => toolCallIds.has(id)),
  );
  const settled = log.findLastIndex(
    (event) => ENDS.has(event.type) && "toolCallId" in event && toolCallIds.has(event.toolCallId),
  );
  // Calls that are answered and not yet ended were answered in the last pause.
  const until = settled === -1 ? log.length : settled;
  const pause = log.slice(0, until).findLastIndex(({ type }) => type === "turn-parked");
  const start = Math.max(step, pause) + 1;
  const length = log.slice(start).findIndex(isPause);
  const end = length === -1 ? undefined : log[start + length];
  return {
    before: log.slice(0, start),
    response: length === -1 ? log.slice(start) : log.slice(start, start + length + 1),
    end,
  };
}

const isPause = ({ type }: SessionEvent): boolean => type === "turn-parked" || type === "turn-stopped";
