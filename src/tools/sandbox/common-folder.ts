/**
 * The file `commondir` of a repository. Git reads its settings from the folder that the file names, so a command could
 * add one and have the next `git status` of an editor run a program. While a command runs there is a file of ours,
 * mounted read-only, which names the repository itself in a spelling that nobody else uses. An empty file breaks git.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../call/error-code.js";
import { fileText } from "../file-text.js";

export const COMMON_FOLDER = "commondir";
const OURS = "./././.\n";

export const isOurCommonFolder = (repository: string): boolean =>
  fileText(join(repository, COMMON_FOLDER)) === OURS;

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
 * Our file for a sandbox that waits for its command. The sandbox is started while the file lies in the repository under a
 * name that git does not read; then the file is moved out. The mount inside stays on the file, so it covers `commondir`
 * as soon as the file gets that name.
 */
export class ParkedCommonFolder {
  readonly repository: string;
  /** Where the sandbox mounts it. */
  readonly stub: string;
  readonly #aside: string;

  constructor(repository: string, { id, aside }: { readonly id: string; readonly aside: string }) {
    this.repository = repository;
    this.stub = join(repository, `toolgate-${id}`);
    this.#aside = aside;
    writeFileSync(this.stub, OURS, { flag: "wx" });
  }

  /** Throws where the two folders are on different disks. */
  park(): void {
    renameSync(this.stub, this.#aside);
  }

  /** False when another file has the name: the one of another command, whose mount a move would take away. */
  place(): boolean {
    const file = join(this.repository, COMMON_FOLDER);
    if (existsSync(file)) return false;
    renameSync(this.#aside, file);
    return true;
  }

  remove(): void {
    for (const file of [this.stub, this.#aside]) rmSync(file, { force: true });
  }
}
