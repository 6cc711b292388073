/** The repository that a path lies in; else its folder, or the path itself where that is a folder. */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const MAX_DEPTH = 64;

/** Undefined when nothing is there: then the path alone says what it is. */
export function repositoryOf(path: string): string | undefined {
  const folder = folderOf(path);
  let current = folder;
  for (let depth = 0; current !== undefined && depth < MAX_DEPTH; depth += 1) {
    if (existsSync(join(current, ".git"))) return current;
    const above = dirname(current);
    current = above === current ? undefined : above;
  }
  return folder;
}

function folderOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && (found.isDirectory() ? path : dirname(path));
}
