/**
 * The file `commondir` of a repository. Git reads its settings from the folder that the file names, so a command could
 * add one and have the next `git status` of an editor run a program. While a command runs there is a file of ours,
 * mounted read-only, which names the repository itself in a spelling that nobody else uses. An empty file breaks git.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../call/error-code.js";

export const COMMON_FOLDER = "commondir";
const OURS = "./././.\n";

export const isOurCommonFolder = (repository: string): boolean => {
  try {
    return readFileSync(join(repository, COMMON_FOLDER), "utf8") === OURS;
  } catch {
    return false;
  }
};

/** A file that is there already stays: the repository's own, or the one of another command. */
export function placeCommonFolder(repository: string): void {
  try {
    writeFileSync(join(repository, COMMON_FOLDER), OURS, { flag: "wx" });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Also one that a killed process left. */
export function removeCommonFolder(repository: string): void {
  if (isOurCommonFolder(repository)) rmSync(join(repository, COMMON_FOLDER), { force: true });
}

/**
 * Moves our file out of the repository while a sandbox waits for its command. The mount inside stays on the file, so it
 * covers the name again when the file is back. Throws where the two folders are on different disks.
 */
export class ParkedCommonFolder {
  readonly #repository: string;
  readonly #aside: string;

  constructor(repository: string, aside: string) {
    this.#repository = repository;
    this.#aside = aside;
    if (!isOurCommonFolder(repository)) throw new Error("the repository has a commondir of its own");
    renameSync(join(repository, COMMON_FOLDER), aside);
  }

  /** False when another file has the name by now: a move would take the mount of another command away. */
  putBack(): boolean {
    const file = join(this.#repository, COMMON_FOLDER);
    if (existsSync(file)) return false;
    renameSync(this.#aside, file);
    return true;
  }

  remove(): void {
    rmSync(this.#aside, { force: true });
  }
}
