/** Returns the code of a system error, such as ENOENT, and undefined for any other thrown value. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** A system error about an open file does not name it: gives it the path, for the person who must make room. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && !("path" in error) ? Object.assign(error, { path }) : error;
}

const DISK_TROUBLES: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full: its quota is used up"],
  ["EROFS", "read-only"],
]);

/** Why the disk took nothing, without a path: completes "the disk is …". Undefined for any other error. */
export const diskTrouble = (error: unknown): string | undefined => DISK_TROUBLES.get(errorCode(error));
