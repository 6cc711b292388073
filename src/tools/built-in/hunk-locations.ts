/** The places where a file changes: one for each run of changed lines, as it stands in the new text. */
import { lineHunks } from "../../call/index.js";
import type { Location } from "../../call/index.js";

/** An editor that follows along opens each of them. */
const MAX_LOCATIONS = 50;

export function hunkLocations(path: string, oldText: string, newText: string): readonly Location[] {
  const hunks = lineHunks(oldText, newText).slice(0, MAX_LOCATIONS);
  return hunks.length === 0 ? [{ path }] : hunks.map(({ newStart }) => ({ path, line: newStart }));
}
