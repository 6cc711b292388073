/**
 * The ids of a stream's events, in their order. To clients they mean nothing but "after this one". The text of a message
 * is sent in pieces and recorded together, so the id of a piece has an offset into the recorded event.
 */
import { AapProblem } from "../api/aap-problem.js";
import type { StreamEvent } from "./stream-event.js";

export type EventId = Pick<StreamEvent, "seq" | "part" | "offset">;

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
