/**
 * Files that need a person's yes to be read, whatever the rules allow: keys, credentials, environment files. A tool
 * that walks through a folder skips or reports them, because nobody named them.
 */
import { homedir } from "node:os";
import type { PathAccess } from "../../policy/index.js";
import { isProtected } from "../../policy/paths/protected-paths.js";
import { ownNameOf } from "../own-name-of.js";

/** Whether even a rule that allows everything does not open the file. */
export function isProtectedFile(
  path: string,
  own: readonly string[] = [],
  access: PathAccess["access"] = "read",
): boolean {
  if (isProtected(path, { home: homedir(), roots: [], own, access }) !== undefined) return true;
  return ownNameOf(path, own) !== undefined;
}
