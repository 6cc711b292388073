/** What a request cannot have, and the HTTP status that says so. The text tells what did not happen. */
import { LedgerError } from "../call/index.js";

const STATUSES = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  /** Somebody else is writing to the session: try again. */
  BUSY: 409,
  TOO_LARGE: 413,
  NOT_JSON: 415,
  BROKEN: 500,
} as const;

export type ProblemCode = keyof typeof STATUSES;

const RETRY_SECONDS = 1;

export class AapProblem extends Error {
  constructor(
    readonly code: ProblemCode,
    message: string,
  ) {
    super(message);
    this.name = "AapProblem";
  }
}

export function problemResponse({ code, message }: AapProblem): Response {
  const headers = new Headers();
  if (code === "BUSY") headers.set("retry-after", String(RETRY_SECONDS));
  if (code === "UNAUTHORIZED") headers.set("www-authenticate", "Bearer");
  return Response.json({ error: message }, { status: STATUSES[code], headers });
}

export function problemOf(error: unknown): AapProblem {
  if (error instanceof AapProblem) return error;
  if (error instanceof LedgerError && error.code !== "LEDGER_CLOSED") {
    const code = error.code === "LEASE_HELD" || error.code === "LEASE_LOST" ? "BUSY" : "CONFLICT";
    return new AapProblem(code, error.message);
  }
  // Anything else is a bug or a broken disk. Its text may name files of ours, so it stays here.
  return new AapProblem("BROKEN", "The server failed at this request. What was recorded before is kept.");
}
