import type { SessionOptions } from "../../agent/index.js";
import type { TurnEvent } from "../client/protocol.js";

export type RetryNotice = Parameters<NonNullable<SessionOptions["onModelRetry"]>>[0];

/** The event that announces to clients that the model's request is sent again. The provider's own words may hold an address or a key. */
export function retryNotice({
  attempt,
  waitMs,
  statusCode,
}: RetryNotice): TurnEvent & { readonly event: "model_retry" } {
  const what = statusCode === undefined ? "could not be reached" : `answered ${statusCode}`;
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `The model's provider ${what}. The request is sent again in ${seconds} s.`;
  return { event: "model_retry", data: { attempt, waitMs, message } };
}
