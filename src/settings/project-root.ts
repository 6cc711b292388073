import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** The real path of a project's folder: settings stored for it must not follow a link elsewhere. */
export function canonicalRoot(projectRoot: string): string {
  try {
    return realpathSync.native(projectRoot);
  } catch {
    return resolve(projectRoot);
  }
}
