/** A session as it was at a moment of its record. */
import { z } from "zod";
import { planEntry, sessionEntry } from "./session-bodies.js";

export const replayQuery = z.strictObject({
  moment: z.coerce.number().int().min(1).describe("The number of the moment, from 1.").optional(),
  call: z.string().describe("Else the moment at which this call was announced.").optional(),
  seq: z.coerce.number().int().min(0).describe("Else the last moment up to this event.").optional(),
  limit: z.coerce.number().int().min(1).max(500).describe("At most this many entries (100).").optional(),
});
export type ReplayQuery = z.output<typeof replayQuery>;

export const replayMoment = z.object({
  moment: z.number(),
  moments: z.number().describe("How many there are by now."),
  seq: z.number().describe("The last event that is in it."),
  at: z.number(),
  /** When the next moment was, and the first one. */
  nextAt: z.number().exactOptional(),
  startedAt: z.number(),
  words: z.string().describe("One line for people: what happened."),
  toolCallId: z.string().exactOptional(),
  plan: z.array(planEntry).describe("The plan as it was."),
  entries: z.array(sessionEntry).describe("The last ones as they were."),
  earlier: z.number().describe("How many stand before them."),
});
export type ReplayMoment = z.output<typeof replayMoment>;
