/**
 * The ids of a turn's events, in their order. To clients they mean nothing but "after this one".
 *
 * Words that go on with a message are told in pieces and recorded together, so the id of a piece says how much of the
 * recorded event was told with it.
 */
import { AapProblem } from "../api/aap-problem.js";
import type { Told } from "./turn-events.js";

export type EventId = Pick<Told, "seq" | "part" | "offset">;

/** `turn_start` comes before all that the first recorded event of its response brings; `turn_stop` after the last's. */
const FIRST_PART = 0;
const LAST_PART = 9_999;
/** An event that goes on with a message brings its words and nothing else. */
const WORDS_PART = 1;

export const turnStart = (start: number): Told => ({
  seq: start + 1,
  part: FIRST_PART,
  told: { event: "turn_start", data: {} },
});

export const lastAt = (seq: number, told: Told["told"]): Told => ({ seq, part: LAST_PART, told });

/** More of a message: `offset` characters of the event `seq` are told with it. */
export const moreWords = (seq: number, offset: number, told: Told["told"]): Told => ({
  seq,
  part: WORDS_PART,
  offset,
  told,
});

export const isAfter = (one: EventId, other: EventId): boolean =>
  one.seq > other.seq || (one.seq === other.seq && one.part > other.part);

export const idText = ({ seq, part, offset }: EventId): string =>
  offset === undefined ? `${seq}.${part}` : `${seq}.${part}.${offset}`;

export function readEventId(text: string): EventId {
  const [, seq, part, offset] = /^(\d{1,15})\.(\d{1,4})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (seq !== undefined && part !== undefined)
    return {
      seq: Number(seq),
      part: Number(part),
      ...(offset !== undefined && { offset: Number(offset) }),
    };
  throw new AapProblem(
    "BAD_REQUEST",
    "This is not the id of an event that this server sent. Nothing was done.",
  );
}
