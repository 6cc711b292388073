/** Cursors of lists: opaque to clients, since their content may change. */
import type { z } from "zod";
import { AapProblem } from "./aap-problem.js";

export const writeCursor = (place: unknown): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

export function readCursor<Place>(cursor: string, place: z.ZodType<Place>): Place {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    throw new AapProblem("BAD_REQUEST", 'This "after" is not one that this server gave. Nothing was listed.');
  }
}
