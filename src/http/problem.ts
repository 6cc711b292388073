/** What a request cannot have: the codes, the HTTP status of each, and the body that tells it. */
export const STATUSES = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  /** Some of the open calls are answered, and not all. */
  PARTIAL: 409,
  /** What is answered here was answered before: the answer that counts comes with it. */
  ALREADY_ANSWERED: 409,
  /** Somebody else is writing to the session: try again. */
  BUSY: 409,
  TOO_LARGE: 413,
  NOT_JSON: 415,
  WRONG_HOST: 421,
  TOO_MANY_REQUESTS: 429,
  BROKEN: 500,
  /** It is full, or about to end. */
  UNAVAILABLE: 503,
} as const;

export type ProblemCode = keyof typeof STATUSES;

/** `details` go with the code and the message: ids, what is recorded. */
export function errorBody(code: ProblemCode, message: string, details: object = {}): string {
  return JSON.stringify({ error: { code, message, ...details } });
}
