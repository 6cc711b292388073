/**
 * Finds in a folder that no command may write what can be changed from elsewhere all the same: links, whose target may lie
 * in an open folder, and files with further names. Also finds the secrets in it, which must not be read either.
 */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { linkTarget } from "../path-info.js";
import type { Guarded } from "./find-guarded.js";
import { type KeepBudget, sharedFile } from "./shared-file.js";

/** Each is looked at before and after every command; such folders hold some dozens. */
const MAX_FILES = 5_000;
/** Their links lead to one another, or to packages that people work on. */
const DEPENDENCIES = /\/(?:node_modules|site-packages)(?:\/|$)/;
/** Git's data in the folder of a submodule or a worktree: nothing in it starts a program. */
const GIT_DATA = new Set(["objects", "refs", "logs", "lfs"]);

type ClosedOptions = {
  /** As what a name would be guarded in an open folder. */
  readonly guardedAt: (path: string, entry: Dirent) => Guarded | undefined;
  readonly isOfGit: boolean;
  readonly budget: KeepBudget;
};

export function closedContents(path: string, options: ClosedOptions): readonly Guarded[] {
  const { guardedAt, isOfGit, budget } = options;
  const found: Guarded[] = [];
  // Outer folders first: they hold what programs look for.
  const folders = [path];
  let files = 0;
  for (let at = 0; at < folders.length; at += 1) {
    const folder = folders[at] ?? path;
    const entries = entriesOf(folder);
    const isRepository = isOfGit && entries.some(({ name }) => name === "HEAD");
    const isOfDependencies = DEPENDENCIES.test(folder.slice(path.length));
    for (const entry of entries) {
      const inner = join(folder, entry.name);
      const one = guardedAt(inner, entry);
      const isNamed = one?.type === "link" || one?.type === "protected";
      if (isNamed && one.isSecret) found.push({ ...one, isInside: true });
      else if (entry.isDirectory()) {
        if (!(isRepository && GIT_DATA.has(entry.name))) folders.push(inner);
      } else if (isOfDependencies) continue;
      else if (entry.isSymbolicLink())
        found.push({ type: "link", path: inner, target: linkTarget(inner), isSecret: false, isInside: true });
      else if (entry.isFile() && (files += 1) <= MAX_FILES && !entry.name.endsWith(NOT_RUN)) {
        const shared = sharedFile(inner, budget);
        if (shared) found.push({ ...protectedFile(inner), isInside: true, shared });
      }
    }
  }
  return found;
}

/** Git brings such hooks along and never starts them. */
const NOT_RUN = ".sample";

export const protectedFile = (path: string) =>
  ({ type: "protected", path, isFolder: false, isSecret: false }) as const;

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
