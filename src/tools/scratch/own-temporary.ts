/**
 * The files and folders directly in `/tmp` that the commands of one session have made. Agents put files there out of
 * habit; those of other programs and sessions stay closed.
 *
 * A name counts as the session's own when nothing was there before a command of the session wrote it, and when there
 * still is a file or folder of this user, with no other name and no link. Remembered for as long as the session is
 * open in this process.
 */
import { lstat, readdir, readFile } from "node:fs/promises";
import { errorCode } from "../../call/error-code.js";
import { matchPath } from "../../policy/paths/match-path.js";

export const SHARED_FOLDER = "/tmp";

/** The folder is not listed further: with this many names, somebody else is likely to have one. */
const MAX_NAMES = 5_000;

export class OwnTemporary {
  readonly #made = new Set<string>();

  /**
   * The session's own names that a path or a pattern stands for; none when something of others is among them. `isMade`:
   * the call writes it, so that it may also be new. `path` is directly in the shared folder.
   */
  async find(path: string, isMade: boolean): Promise<readonly string[]> {
    if (!/[*?]/.test(path)) return (await this.#has(path, isMade)) ? [path] : [];
    const names = (await readdir(SHARED_FOLDER)).map((name) => `${SHARED_FOLDER}/${name}`);
    const matched = names.filter((name) => matchPath(path, name));
    const own = await Promise.all(matched.map((name) => this.#has(name, false)));
    return matched.length > 0 && own.every(Boolean) ? [path, ...matched] : [];
  }

  async #has(path: string, isMade: boolean): Promise<boolean> {
    try {
      const info = await lstat(path);
      const isOwn =
        info.uid === process.getuid?.() && (info.isDirectory() || (info.isFile() && info.nlink === 1));
      return isOwn && this.#made.has(path);
    } catch (error) {
      return errorCode(error) === "ENOENT" && (this.#made.has(path) || (isMade && (await isSafe())));
    }
  }

  add(paths: readonly string[]): void {
    for (const path of paths) this.#made.add(path);
  }

  /** A file that the command did not make may be somebody else's tomorrow. */
  async forgetMissing(paths: readonly string[]): Promise<void> {
    for (const path of paths) if (!(await lstat(path).catch(() => undefined))) this.#made.delete(path);
  }
}

/** Whether nobody else can put a link under a new name before the command opens it. */
async function isSafe(): Promise<boolean> {
  return (await isGuarded()) || (await isUnshared());
}

/** The system refuses to follow the links of others in such a folder, and to write their files. */
async function isGuarded(): Promise<boolean> {
  const values = await Promise.all(
    ["symlinks", "regular"].map((name) =>
      readFile(`/proc/sys/fs/protected_${name}`, "utf8").catch(() => "0"),
    ),
  );
  return values.every((value) => Number(value) > 0);
}

async function isUnshared(): Promise<boolean> {
  const names = await readdir(SHARED_FOLDER);
  if (names.length > MAX_NAMES) return false;
  const owners = await Promise.all(
    names.map((name) =>
      lstat(`${SHARED_FOLDER}/${name}`).then(
        ({ uid }) => uid,
        () => 0,
      ),
    ),
  );
  return owners.every((uid) => uid === 0 || uid === process.getuid?.());
}
