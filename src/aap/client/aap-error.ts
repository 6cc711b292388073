/**
 * Everything that goes wrong between an app and a server, as one class.
 *
 * What must stay true: the words never hold the key, whatever a server or the network says back.
 */

export type AapErrorCode =
  /** The address or the key cannot be used; nothing was sent. */
  | "UNUSABLE"
  /** No answer came. For a turn the words say whether the server may have taken it. */
  | "UNREACHABLE"
  /** The server answered and said no: `status`, and `problem` where it names one. */
  | "REFUSED"
  /** What came back is not what the protocol says. */
  | "NOT_AAP"
  /** A stream ended before its turn did, and could not be taken up again. */
  | "STREAM_CUT"
  | "WRONG_VERSION"
  /** The session has a tool of the app's that this process cannot run; nothing was submitted. */
  | "TOOL_MISSING"
  /** More submissions were wanted than the caller allows. */
  | "TOO_MANY_ROUNDS";

export type AapErrorDetails = {
  readonly status?: number;
  /** The server's own word for it, such as `BUSY`. */
  readonly problem?: string;
  /** What the server tells beside its words, such as what is recorded. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds after which the server wants to be asked again. */
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
