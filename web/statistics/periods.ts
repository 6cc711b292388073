/** Periods of the statistics, and the names of waiting times. */
import { longTime } from "../words.js";

const DAY_MS = 86_400_000;

/** From midnight, so that the first day is whole. */
export function periodStart(days: number, now: number): number {
  const start = new Date(now - (days - 1) * DAY_MS);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate());
}

/** Without an empty second unit: "5 min", not "5 min 0 s". */
const roundTime = (ms: number): string => longTime(ms).replace(/ 0 (?:s|min|h)$/, "");

/** "under 5 s", "5 to 30 s", "over 1 h". */
export function bucketName(underMs: number | undefined, fromMs: number | undefined): string {
  if (underMs === undefined) return `over ${roundTime(fromMs ?? 0)}`;
  if (fromMs === undefined) return `under ${roundTime(underMs)}`;
  const [from = "", unit] = roundTime(fromMs).split(" ");
  return roundTime(underMs).endsWith(` ${unit ?? ""}`)
    ? `${from} to ${roundTime(underMs)}`
    : `${roundTime(fromMs)} to ${roundTime(underMs)}`;
}
