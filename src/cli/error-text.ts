/** The text for a failed command: the message of an expected error, the whole stack of a bug. */

/** System errors that a user can cause, and what to do about them. */
const SYSTEM_ERRORS: ReadonlyMap<unknown, (what: string) => string> = new Map([
  ["ENOENT", (what) => `${what} does not exist. Nothing was done; check the path.`],
  ["EROFS", (what) => `${what} cannot be written: its file system is read-only. Nothing was done.`],
  [
    "ENOSPC",
    (what) => `${what} cannot be written: the disk is full. Nothing was done; make room and try again.`,
  ],
  ["EACCES", (what) => `${what} cannot be read or written: you lack the permission. Nothing was done.`],
  ["EISDIR", (what) => `${what} is a folder where a file is needed. Nothing was done.`],
  [
    "EADDRINUSE",
    (what) => `${what} is in use by another program. Nothing was started; try --port 0 for a free one.`,
  ],
]);

export function errorText(error: unknown): string {
  const isBug = error instanceof Error && !("code" in error);
  return isBug ? (error.stack ?? error.message) : errorSentence(error);
}

/** The same text without the stack, for a conversation that continues. */
export function errorSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!("code" in error)) return `Toolgate failed: ${error.message}`;
  const describe = SYSTEM_ERRORS.get(error.code);
  return describe ? describe(subjectOf(error)) : error.message;
}

function subjectOf(error: Error): string {
  if ("path" in error && typeof error.path === "string") return error.path;
  return "port" in error ? `Port ${String(error.port)}` : "It";
}
