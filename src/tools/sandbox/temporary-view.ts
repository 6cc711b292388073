/**
 * How a command sees the session's own files in the system's temporary folder. Files that are there are mounted. For
 * files that it will make, its `/tmp` is a folder of ours on the disk, from which they are copied when it has ended.
 * All else that it puts into `/tmp` ends with it.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathInfo } from "../path-info.js";
import type { Mount } from "./mount.js";

export type TemporaryView = {
  /** To be mounted over the system's view. */
  readonly mounts: readonly Mount[];
  /** Copies what the command made. To be called when it has ended. */
  release(): void;
};

/**
 * The same for a command that may leave a server behind: others read the files while it writes them. A name without an
 * ending may become a program or a folder, which no file can stand in for: that is in the command's own `/tmp`.
 */
export function livingTemporaryView(paths: readonly string[]): TemporaryView {
  for (const path of paths) if (!isPattern(path) && basename(path).includes(".")) makeEmpty(path);
  return { mounts: paths.filter(isPlain).map((path): Mount => ({ type: "write", path })), release: () => {} };
}

function makeEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch {
    // Something is there already; a file or a folder is mounted.
  }
}

export function temporaryView(paths: readonly string[], folder: string): TemporaryView {
  const there = paths.filter((path) => isPlain(path));
  const absent = paths.filter((path) => !isPattern(path) && pathInfo(path) === undefined);
  if (absent.length > 0) mkdirSync(folder, { mode: 0o700 });
  return {
    mounts: [
      ...(absent.length > 0 ? [{ type: "write" as const, path: "/tmp", from: folder }] : []),
      ...there.map((path): Mount => ({ type: "write", path })),
    ],
    release() {
      for (const path of absent) copyOut(join(folder, basename(path)), path);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The names that a pattern stands for are among the paths too. */
const isPattern = (path: string): boolean => /[*?]/.test(path);

/** A link could lead anywhere. */
function isPlain(path: string): boolean {
  const info = pathInfo(path);
  return info?.isFile() === true || info?.isDirectory() === true;
}

function copyOut(from: string, to: string): void {
  if (!isPlain(from)) return;
  try {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
  } catch {
    // Somebody else made it meanwhile: theirs stays.
  }
}
