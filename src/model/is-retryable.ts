/**
 * Whether asking once more may help. A provider that is overloaded, asked too often or out of reach may
 * answer the next time; a bad key, a bad request or an empty purse will not mend itself.
 */
import { APICallError } from "@ai-sdk/provider";

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

/** How providers call it in the middle of a stream, where there is no status. */
const PASSING_TROUBLES = new Set([
  "api_error",
  "overloaded_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "server_error",
  "timeout_error",
]);

export function isRetryable(error: unknown): boolean {
  if (APICallError.isInstance(error)) {
    const said = error.responseHeaders?.["x-should-retry"];
    if (said === "true" || said === "false") return said === "true";
    // The same status as "too often", but waiting does not fill it.
    if (error.responseBody?.includes("insufficient_quota") === true) return false;
    return error.isRetryable || isPassingStatus(error.statusCode);
  }
  if (typeof error !== "object" || error === null) return false;
  if ("isRetryable" in error && typeof error.isRetryable === "boolean") return error.isRetryable;
  return isNetworkError(error) || ["type", "code"].some((field) => isPassingTrouble(error, field));
}

const isPassingStatus = (status: number | undefined): boolean =>
  status !== undefined && (status === 408 || status === 409 || status === 429 || status >= 500);

/** fetch tells what went wrong in the cause of its error, or in the cause of that. */
function isNetworkError(error: object): boolean {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string" && NETWORK_CODES.has(current.code)) return true;
    if (current instanceof TypeError && /^(?:terminated|fetch failed)$/.test(current.message)) return true;
    current = current.cause;
  }
  return false;
}

function isPassingTrouble(error: object, field: string): boolean {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "string" && PASSING_TROUBLES.has(value);
}
