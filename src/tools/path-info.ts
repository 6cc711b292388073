/** Metadata of a path, or undefined where nothing can be seen: Node's own option leaves most of these cases to an exception. */
import { lstatSync } from "node:fs";
import type { BigIntStats, Stats } from "node:fs";
import { errorCode } from "../call/error-code.js";

/** Longer than any file system takes to move its clock on: a change that comes later than this shows in the times. */
export const SETTLED_MS = 2_500;

/** A folder above the path is a file, a link in a circle, or closed to us. */
const ABSENT = new Set(["ENOTDIR", "ELOOP", "EACCES"]);

/** Does not follow a link at the end of the path. */
export function pathInfo(path: string | Buffer): Stats | undefined {
  return unlessAbsent(() => lstatSync(path, { throwIfNoEntry: false }));
}

export function exactPathInfo(path: string | Buffer): BigIntStats | undefined {
  return unlessAbsent(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
}

function unlessAbsent<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (ABSENT.has(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
