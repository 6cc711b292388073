/**
 * Measures durations by the monotonic clock. Events have the time of the wall clock, which someone may set between the
 * start and the end of a call, a question or a turn. Then the event that ends it gets its true duration.
 *
 * Only within one process: the monotonic clocks of two processes have nothing in common, and what another process
 * started is measured by the times of its events.
 */
import { CALL_STATUS_AFTER, TURN_STATUS_AFTER } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";

/** A smaller difference is within the precision of the clocks, or the wall clock runs a little fast. */
const MIN_JUMP_MS = 100;

type Start = { readonly at: number; readonly offset: number };

/** How far the wall clock is ahead of the monotonic one. */
export const clockOffset = (): number => Date.now() - performance.now();

/** By how many milliseconds someone has set the wall clock since the offset was this. */
export function clockJump(offset: number): number {
  const jump = Math.round(clockOffset() - offset);
  return Math.abs(jump) < MIN_JUMP_MS ? 0 : jump;
}

export class ClockJumps {
  /** The starts that have no end yet, by the id of the call or the turn. */
  readonly #running = new Map<string, Start>();
  readonly #asked = new Map<string, Start>();
  readonly #turns = new Map<string, Start>();

  /** The event, with its duration when the wall clock jumped meanwhile. Called once for each event, in order. */
  measured(event: SessionEvent): SessionEvent {
    if (!("toolCallId" in event)) {
      const status = TURN_STATUS_AFTER[event.type];
      if (status === undefined || !("turnId" in event)) return event;
      return status === "running"
        ? noteStart(this.#turns, event.turnId, event)
        : withDuration(this.#turns, event.turnId, event, "tookMs");
    }
    const status = CALL_STATUS_AFTER[event.type];
    switch (status) {
      case "waiting":
        return noteStart(this.#asked, event.toolCallId, event);
      case "running":
        return noteStart(this.#running, event.toolCallId, event);
      case "cleared":
      case "refused":
        return withDuration(this.#asked, event.toolCallId, event, "waitedMs");
      case "done":
      case "failed":
      case "cancelled":
      case "unknown":
        this.#asked.delete(event.toolCallId);
        return withDuration(this.#running, event.toolCallId, event, "ranMs");
      case "drafting":
      case "ready":
      case undefined:
        return event;
      default:
        return status satisfies never;
    }
  }
}

function noteStart(starts: Map<string, Start>, id: string, event: SessionEvent): SessionEvent {
  starts.set(id, { at: event.at, offset: clockOffset() });
  return event;
}

function withDuration(
  starts: Map<string, Start>,
  id: string,
  event: SessionEvent,
  field: "ranMs" | "waitedMs" | "tookMs",
): SessionEvent {
  const start = starts.get(id);
  starts.delete(id);
  const jump = start ? clockJump(start.offset) : 0;
  if (!start || jump === 0) return event;
  return { ...event, [field]: Math.max(0, event.at - start.at - jump) };
}
