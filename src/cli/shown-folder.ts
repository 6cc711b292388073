/** Folders of sessions: shown as short as people say them, and looked for as they are recorded. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";

/** Below the home folder with ~ for it. */
export function shownFolder(folder: string): string {
  const below = relative(homedir(), folder);
  if (below === "") return "~";
  return below.startsWith("..") || resolve(below) === below ? folder : `~${sep}${below}`;
}

/** As a session records the folder that it works in: the real one. One that is gone is meant as it is written. */
export function recordedFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
