/**
 * Everything that goes wrong between an app and a server, as one class.
 *
 * Invariant: the message never has the key in it, whatever a server or the network answers.
 */

export type AapErrorCode =
  /** The address or the key cannot be used; nothing was sent. */
  | "UNUSABLE"
  /** No answer came. For a turn the message says whether the server may have accepted it. */
  | "UNREACHABLE"
  /** The server refused the request: `status`, and `problem` where it names one. */
  | "REFUSED"
  /** The answer does not follow the protocol. */
  | "NOT_AAP"
  /** A stream ended before its turn did, and could not be resumed. */
  | "STREAM_CUT"
  | "WRONG_VERSION"
  /** The session has a tool of the app's that this process cannot run; nothing was submitted. */
  | "TOOL_MISSING"
  /** More submissions were wanted than the caller allows. */
  | "TOO_MANY_ROUNDS";

export type AapErrorDetails = {
  readonly status?: number;
  /** The server's code for it, such as `BUSY`. */
  readonly problem?: string;
  /** More fields of the answer, such as recorded results. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds after which the server asks for a retry. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
};

export class AapError extends Error {
  readonly status?: number;
  readonly problem?: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfter?: number;

  constructor(
    readonly code: AapErrorCode,
    message: string,
    { status, problem, details = {}, retryAfter, cause }: AapErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "AapError";
    this.details = details;
    if (status !== undefined) this.status = status;
    if (problem !== undefined) this.problem = problem;
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
  }
}
