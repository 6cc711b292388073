/** The paths in a folder and the times of their changes, for the set-ups that build only what has changed. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The folder and all that is in it, folders included: their time changes when a file is removed. */
export function pathsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { encoding: "utf8", recursive: true });
  return [folder, ...names.map((name) => join(folder, name))];
}

export const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
