/** A ledger's address or file that cannot be used. The message names it, the cause, and what did not happen. */
export type LedgerFileErrorCode =
  | "NOT_A_LEDGER"
  | "UNKNOWN_ADDRESS"
  | "LEDGER_TOO_NEW"
  | "LEDGER_DAMAGED"
  | "LEDGER_BUSY"
  | "LEDGER_FULL"
  | "LEDGER_READ_ONLY"
  | "LEDGER_GONE"
  | "LEDGER_UNREACHABLE"
  | "LEDGER_FAILED";

export class LedgerFileError extends Error {
  /** The message without the path of the file or the address of the server, for clients on other machines. */
  readonly messageWithoutPath: string;
  /** The path as the message shows it, when the error is about a file. */
  readonly file: string | undefined;

  constructor(
    readonly code: LedgerFileErrorCode,
    message: string,
    {
      file,
      messageWithoutPath = file === undefined ? message : message.replaceAll(`${file} `, ""),
      ...options
    }: ErrorOptions & { readonly file?: string; readonly messageWithoutPath?: string } = {},
  ) {
    super(message, options);
    this.name = "LedgerFileError";
    this.messageWithoutPath = messageWithoutPath;
    this.file = file;
  }
}
