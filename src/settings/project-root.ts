import { realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";

/** The real path of a project's folder: settings stored for it must not follow a link elsewhere. */
export function canonicalRoot(projectRoot: string): string {
  try {
    return realpathSync.native(projectRoot);
  } catch {
    return resolve(projectRoot);
  }
}

/** The project whose own rules this file has. Undefined for any other file. */
export function projectOf(ruleFile: string): string | undefined {
  const folder = dirname(resolve(ruleFile));
  return basename(folder) === ".toolgate" ? canonicalRoot(dirname(folder)) : undefined;
}
