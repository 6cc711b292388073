/**
 * Decides whether a retry may help. An overloaded, rate-limited or unreachable provider may respond the next time; a bad
 * key, a bad request or an empty account fails again.
 */
import { APICallError } from "@ai-sdk/provider";
import { overflowOf } from "./overflow-of.js";

const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** Error types inside a stream, where there is no status. */
const TEMPORARY_ERRORS = new Set([
  "api_error",
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "server_error",
  "timeout_error",
]);

export function isRetryable(error: unknown): boolean {
  // Some servers report a prompt that is too long with the status of a failure. A retry would fail too: the prompt
  // must get shorter.
  if (overflowOf(error)) return false;
  if (APICallError.isInstance(error)) {
    const shouldRetry = error.responseHeaders?.["x-should-retry"];
    if (shouldRetry === "true" || shouldRetry === "false") return shouldRetry === "true";
    // The same status as a rate limit, but waiting does not help.
    if (error.responseBody?.includes("insufficient_quota") === true) return false;
    // A port to which no request is ever sent.
    if (error.cause instanceof Error && error.cause.message === "bad port") return false;
    return error.isRetryable || isTemporaryStatus(error.statusCode);
  }
  if (typeof error !== "object" || error === null) return false;
  if ("isRetryable" in error && typeof error.isRetryable === "boolean") return error.isRetryable;
  return isNetworkError(error) || ["type", "code"].some((field) => isTemporaryError(error, field));
}

const isTemporaryStatus = (status: number | undefined): boolean =>
  status !== undefined && (status === 408 || status === 409 || status === 429 || status >= 500);

/** fetch puts the network error into the cause of its own error, or one level deeper. */
export function isNetworkError(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string" && NETWORK_CODES.has(current.code)) return true;
    if (current instanceof TypeError && /^(?:terminated|fetch failed)$/.test(current.message)) return true;
    current = current.cause;
  }
  return false;
}

/** No program of this machine listens there: it may be starting, but a long wait hides that it is not. */
export function isRefusedHere(error: unknown): boolean {
  if (!APICallError.isInstance(error) || !URL.canParse(error.url)) return false;
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(error.url).hostname);
  if (!isHere) return false;
  let current = error.cause;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ("code" in current && current.code === "ECONNREFUSED") return true;
    current = current.cause;
  }
  return false;
}

function isTemporaryError(error: object, field: string): boolean {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "string" && TEMPORARY_ERRORS.has(value);
}
