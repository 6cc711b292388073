/** An error of a model. Neither its message nor any field ever holds a key. */
export type ModelErrorCode =
  | "MODEL_NAME_UNKNOWN"
  | "BASE_URL_NEEDED"
  | "BASE_URL_BAD"
  | "KEY_MISSING"
  | "KEY_BAD"
  | "KEY_FILE_REFUSED"
  | "MODEL_FAILED"
  | "PROMPT_TOO_LONG";

/** A refusal of a prompt for its length. In tokens, as the provider counts them, where the refusal names them. */
export type Overflow = {
  /** The most that the model takes. */
  readonly contextWindow?: number;
  /** The length of the refused prompt. */
  readonly promptTokens?: number;
};

export class ModelError extends Error {
  /** The HTTP status, if the provider responded. */
  readonly statusCode?: number;
  /** Set when the provider refused the prompt because of its length. */
  readonly overflow?: Overflow;

  constructor(
    readonly code: ModelErrorCode,
    message: string,
    { statusCode, overflow }: { readonly statusCode?: number | undefined; readonly overflow?: Overflow } = {},
  ) {
    super(message);
    this.name = "ModelError";
    if (statusCode !== undefined) this.statusCode = statusCode;
    if (overflow !== undefined) this.overflow = overflow;
  }
}
