/** Folders of sessions: shortened for display, and resolved as sessions record them. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";

/** Replaces the home folder with ~. */
export function shownFolder(folder: string): string {
  const below = relative(homedir(), folder);
  if (below === "") return "~";
  return below.startsWith("..") || resolve(below) === below ? folder : `~${sep}${below}`;
}

/** The real path, as a session records its folder; a folder that no longer exists is taken as written. */
export function recordedFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
