/** Settings that cannot be used or changed; the message says which, why, and what did not happen. */
export type SettingsErrorCode =
  | "FOLDER_NOT_ABSOLUTE"
  | "FILE_BROKEN"
  | "NOT_STORABLE"
  | "NOTHING_TO_TRUST"
  | "CONTENT_CHANGED";

export class SettingsError extends Error {
  constructor(
    readonly code: SettingsErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "SettingsError";
  }
}
