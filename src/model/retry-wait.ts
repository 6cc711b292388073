/**
 * The wait before a retry: as the provider asks, else exponential backoff with jitter, so that clients that failed
 * together do not retry together. Never longer than the maximum.
 */
import { APICallError } from "@ai-sdk/provider";

export type RetryWait = {
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  readonly now: () => number;
  readonly random: () => number;
};

/** `attempt`: the number of failed attempts. */
export function retryWait(error: unknown, attempt: number, wait: RetryWait): number {
  const asked = askedWait(error, wait.now());
  const grown = wait.firstWaitMs * 2 ** (attempt - 1) * (0.5 + wait.random() / 2);
  return Math.round(Math.min(asked ?? grown, wait.maxWaitMs));
}

/** `retry-after-ms`, or `retry-after` as seconds or as a date. Any other value is ignored. */
function askedWait(error: unknown, now: number): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const milliseconds = plainNumber(headers?.["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const after = headers?.["retry-after"];
  const seconds = plainNumber(after);
  if (seconds !== undefined) return seconds * 1000;
  const date = after === undefined || !after.trim().endsWith("GMT") ? Number.NaN : Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const plainNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d{1,12}(?:\.\d{1,12})?\s*$/.test(text) ? Number(text) : undefined;
