/** An event of a response as a client receives it, with its place in the session's log. */
import type { TurnEvent } from "../client/protocol.js";

/**
 * `seq` is the number of the recorded event that it comes from, `part` its place among those of that event. The text of
 * a message that continues comes in pieces: with this one, `offset` characters of that recorded event are sent.
 */
export type StreamEvent = {
  readonly seq: number;
  readonly part: number;
  readonly offset?: number;
  readonly wire: TurnEvent;
};

/** `turn_start` comes before everything from the first recorded event of its response; `turn_stop` after the last. */
const FIRST_PART = 0;
const LAST_PART = 9_999;
/** After everything that comes from the recorded event itself. */
const PAUSE_PART = 1_000;
/** A recorded event that continues a message brings its text and nothing else. */
const TEXT_PART = 1;

export const turnStartAfter = (start: number): StreamEvent => ({
  seq: start + 1,
  part: FIRST_PART,
  wire: { event: "turn_start", data: {} },
});

export const lastEventAt = (seq: number, wire: TurnEvent): StreamEvent => ({ seq, part: LAST_PART, wire });

export const eventsAt = (seq: number, wires: readonly TurnEvent[]): readonly StreamEvent[] =>
  wires.map((wire, index) => ({ seq, part: index + 1, wire }));

/** The last events of a response that ends here although the log has no end. */
export const pauseEventsAt = (seq: number, wires: readonly TurnEvent[]): readonly StreamEvent[] =>
  wires.map((wire, index) => ({ seq, part: PAUSE_PART + index + 1, wire }));

/** More of a message: `offset` characters of the recorded event `seq` are sent with it. */
export const continuedText = (seq: number, offset: number, wire: TurnEvent): StreamEvent => ({
  seq,
  part: TEXT_PART,
  offset,
  wire,
});
