/**
 * How long to wait before asking again: what the provider says, else twice as long each time, shortened by
 * chance so that many who failed together do not come back together. Never longer than the longest wait.
 */
import { APICallError } from "@ai-sdk/provider";

export type RetryWait = {
  readonly firstWait: number;
  readonly longestWait: number;
  readonly now: () => number;
  readonly random: () => number;
};

/** `attempt`: how many have failed. */
export function retryWait(error: unknown, attempt: number, wait: RetryWait): number {
  const asked = askedWait(error, wait.now());
  const grown = wait.firstWait * 2 ** (attempt - 1) * (0.5 + wait.random() / 2);
  return Math.round(Math.min(asked ?? grown, wait.longestWait));
}

/** `retry-after-ms`, or `retry-after` as seconds or as a date. Anything else in them is as good as nothing. */
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
