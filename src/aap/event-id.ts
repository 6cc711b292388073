/** The ids of a turn's events, in their order. To clients they mean nothing but "after this one". */
import { AapProblem } from "./problem.js";
import type { Told } from "./turn-events.js";

export type EventId = Pick<Told, "seq" | "part">;

/** `turn_start` comes before all that the first recorded event of its response brings; `turn_stop` after the last's. */
const FIRST_PART = 0;
const LAST_PART = 9_999;

export const turnStart = (start: number): Told => ({
  seq: start + 1,
  part: FIRST_PART,
  told: { event: "turn_start", data: {} },
});

export const lastAt = (seq: number, told: Told["told"]): Told => ({ seq, part: LAST_PART, told });

export const isAfter = (one: EventId, other: EventId): boolean =>
  one.seq > other.seq || (one.seq === other.seq && one.part > other.part);

export const idText = ({ seq, part }: EventId): string => `${seq}.${part}`;

export function readEventId(text: string): EventId {
  const [, seq, part] = /^(\d{1,15})\.(\d{1,4})$/.exec(text) ?? [];
  if (seq !== undefined && part !== undefined) return { seq: Number(seq), part: Number(part) };
  throw new AapProblem(
    "BAD_REQUEST",
    "This is not the id of an event that this server sent. Nothing was done.",
  );
}
