import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** The one name of a project's folder, links followed: what was remembered for it must not follow a link elsewhere. */
export function canonicalRoot(projectRoot: string): string {
  try {
    return realpathSync.native(projectRoot);
  } catch {
    return resolve(projectRoot);
  }
}
