/** Metadata of a path, or undefined where nothing can be seen: Node's own option leaves most of these cases to an exception. */
import { lstatSync, readlinkSync } from "node:fs";
import type { BigIntStats, Stats } from "node:fs";
import { errorCode } from "../call/error-code.js";

/** Longer than any file system takes to move its clock on: a change that comes later than this shows in the times. */
export const SETTLED_MS = 2_500;

/** A folder above the path is a file, a link in a circle, or closed to us; or no path can be as long, or have a NUL. */
const ABSENT = new Set([
  "ENOTDIR",
  "ELOOP",
  "EACCES",
  "ENAMETOOLONG",
  "ERR_INVALID_ARG_VALUE",
  // A link that somebody removed or replaced meanwhile, or whose name is no text.
  "ENOENT",
  "EINVAL",
]);

/** Does not follow a link at the end of the path. */
export function pathInfo(path: string | Buffer): Stats | undefined {
  return unlessAbsent(() => lstatSync(path, { throwIfNoEntry: false }));
}

export function exactPathInfo(path: string | Buffer): BigIntStats | undefined {
  return unlessAbsent(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

/** The text of a link; empty where it cannot be read. */
export function linkTarget(path: string): string {
  return unlessAbsent(() => readlinkSync(path)) ?? "";
}

function unlessAbsent<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (ABSENT.has(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
