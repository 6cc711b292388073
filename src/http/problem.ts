/** Errors of HTTP requests: the codes, the HTTP status of each, and the error body. */
export const STATUSES = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  /** The request answers some of the open calls, but not all. */
  PARTIAL: 409,
  /** The question was answered before: the error holds the answer that counts. */
  ALREADY_ANSWERED: 409,
  /** Another process writes to the session: try again. */
  BUSY: 409,
  TOO_LARGE: 413,
  NOT_JSON: 415,
  WRONG_HOST: 421,
  TOO_MANY_REQUESTS: 429,
  BROKEN: 500,
  /** The store of the sessions has damaged pages. */
  LEDGER_DAMAGED: 500,
  /** The server is full, or closing. */
  UNAVAILABLE: 503,
  /** The store has no room, or cannot be written: nothing of the request was stored. */
  LEDGER_FULL: 507,
  LEDGER_READ_ONLY: 507,
  /** The same of another file of the server: a grant, a device. */
  DISK_FULL: 507,
  DISK_READ_ONLY: 507,
} as const;

export type ProblemCode = keyof typeof STATUSES;

/** `details` are added to the code and the message: ids, recorded values. */
export function errorBody(code: ProblemCode, message: string, details: object = {}): string {
  return JSON.stringify({ error: { code, message, ...details } });
}
