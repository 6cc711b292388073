/** The reason why a request is refused. The text says what was not done; `http/` has the HTTP status of each code. */
import { LedgerError } from "../../call/index.js";
import { diskTrouble } from "../../call/error-code.js";
import type { LedgerErrorCode } from "../../call/ledger.js";
import { LedgerFileError } from "../../history/ledger-file-error.js";
import type { LedgerFileErrorCode } from "../../history/ledger-file-error.js";
import { errorBody, STATUSES } from "../../http/index.js";
import type { ProblemCode } from "../../http/index.js";

export type { ProblemCode } from "../../http/index.js";

const RETRY_AFTER_MS = 1_000;

export class AapProblem extends Error {
  /** `details` are sent with the code and the message: ids, recorded answers. */
  constructor(
    readonly code: ProblemCode,
    message: string,
    readonly details: object = {},
  ) {
    super(message);
    this.name = "AapProblem";
  }
}

export function problemResponse({ code, message, details }: AapProblem): Response {
  const headers = new Headers({ "content-type": "application/json" });
  if (code === "METHOD_NOT_ALLOWED" && "allowed" in details) headers.set("allow", String(details.allowed));
  if (code === "BUSY" || code === "UNAVAILABLE") headers.set("retry-after", String(RETRY_AFTER_MS / 1_000));
  return new Response(errorBody(code, message, details), { status: STATUSES[code], headers });
}

export const wrongMethod = (method: string, path: string, allowed: readonly string[]): AapProblem =>
  new AapProblem(
    "METHOD_NOT_ALLOWED",
    `There is no ${method} ${path}, only ${allowed.join(", ")}. Nothing was done.`,
    { allowed: allowed.join(", ") },
  );

/** The store's errors that say enough without a path. */
const STORE_PROBLEMS: { readonly [code in LedgerFileErrorCode]?: ProblemCode } = {
  LEDGER_FULL: "LEDGER_FULL",
  LEDGER_READ_ONLY: "LEDGER_READ_ONLY",
  LEDGER_DAMAGED: "LEDGER_DAMAGED",
  LEDGER_BUSY: "UNAVAILABLE",
  LEDGER_GONE: "UNAVAILABLE",
  LEDGER_UNREACHABLE: "UNAVAILABLE",
};

const LEDGER_PROBLEMS: { readonly [code in LedgerErrorCode]?: ProblemCode } = {
  LEASE_HELD: "BUSY",
  LEASE_LOST: "BUSY",
  APPEND_UNKNOWN: "UNAVAILABLE",
  LEDGER_DAMAGED: "LEDGER_DAMAGED",
};

/** Another process or place has the session: a problem of the request. Other errors are returned as they are. */
export function problemIfElsewhere(error: unknown): unknown {
  const isElsewhere =
    error instanceof LedgerError && (error.code === "LEASE_HELD" || error.code === "OTHER_PLACE");
  return isElsewhere ? problemOf(error) : error;
}

export function problemOf(error: unknown): AapProblem {
  if (error instanceof AapProblem) return error;
  if (error instanceof LedgerError && error.code !== "LEDGER_CLOSED") {
    return new AapProblem(LEDGER_PROBLEMS[error.code] ?? "CONFLICT", error.message);
  }
  const stored = error instanceof LedgerFileError ? STORE_PROBLEMS[error.code] : undefined;
  if (stored && error instanceof LedgerFileError) return new AapProblem(stored, error.messageWithoutPath);
  const why = diskTrouble(error);
  if (why !== undefined)
    return new AapProblem(
      why === "read-only" ? "DISK_READ_ONLY" : "DISK_FULL",
      `The server cannot write its files: the disk is ${why}. Everything that was recorded before is kept; make it writable and try again.`,
    );
  // Anything else is a bug or a broken disk. Its text may name local files, so it is not sent.
  return new AapProblem(
    "BROKEN",
    "The server failed at this request. Everything that was recorded before is kept.",
  );
}
