/** An error of a model. Neither its message nor any field ever holds a key. */
export type ModelErrorCode =
  | "MODEL_NAME_UNKNOWN"
  | "BASE_URL_NEEDED"
  | "BASE_URL_BAD"
  | "KEY_MISSING"
  | "KEY_BAD"
  | "KEY_FILE_REFUSED"
  | "MODEL_FAILED";

export class ModelError extends Error {
  /** The HTTP status, if the provider responded. */
  readonly statusCode?: number;

  constructor(
    readonly code: ModelErrorCode,
    message: string,
    { statusCode }: { readonly statusCode?: number | undefined } = {},
  ) {
    super(message);
    this.name = "ModelError";
    if (statusCode !== undefined) this.statusCode = statusCode;
  }
}
