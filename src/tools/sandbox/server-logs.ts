/**
 * The files of a workspace that the output of a command that stays may go to. Only new files: undo removes one, and
 * nothing is lost. A later command of the same process may write it again.
 */
import { realpathSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isWithinAny } from "../../call/absolute-path.js";
import { pathInfo } from "../path-info.js";

export class ServerLogs {
  readonly #made = new Set<string>();

  /** Makes the files that are not there, and returns those that may be written. */
  open(paths: readonly string[], roots: readonly string[]): readonly string[] {
    return paths.filter((path) => isWithinAny(path, roots) && this.#mayBeWritten(path));
  }

  #mayBeWritten(path: string): boolean {
    try {
      // A link above it could lead to another place.
      if (realpathSync(dirname(path)) !== dirname(path)) return false;
      const info = pathInfo(path);
      if (info) return this.#made.has(path) && info.isFile() && info.nlink === 1;
      writeFileSync(path, "", { flag: "wx" });
      this.#made.add(path);
      return true;
    } catch {
      return false;
    }
  }
}
