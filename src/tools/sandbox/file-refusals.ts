/**
 * Finds out from a command's output whether it failed because of the sandbox: a line that names a file and one of the
 * system's errors, where the file is read-only or hidden inside only. Exit codes do not say it.
 */
import { accessSync, constants, existsSync, lstatSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCode } from "../../call/error-code.js";
import type { SandboxRefusal } from "../../call/index.js";
import type { Mount } from "./mount.js";

export type SeenFiles = {
  readonly cwd: string;
  readonly mounts: readonly Mount[];
};

const MAX_REFUSALS = 5;
const MAX_LINES = 2_000;
const NOT_WRITABLE = /Read-only file system|EROFS|Device or resource busy|EBUSY/i;
const NOT_OPENED = /Permission denied|EACCES|Operation not permitted|EPERM/i;
/** A test that compared a text: the text may name an error that nothing had. */
const COMPARISON = /\bAssert(?:ion)?Error\b.*(?:\bexpected\b|\bassert\b|[!=]=)/i;
/** The values that were compared, on lines of their own. */
const COMPARED_LINE = /^\s*(?:[-+]\s|(?:E\s+)?(?:expected|received|actual|left|right):)/i;
/** Git's words about a hidden file, which is a device inside. The name counts from the top of the repository. */
const NO_FILE_OF_GIT = /^error: (.+): (?:can only add regular files|unsupported file type)/;
const NOT_FOUND = /No such file or directory|ENOENT|not found|not a git repository: /i;

export function fileRefusals(output: string, { cwd, mounts }: SeenFiles): readonly SandboxRefusal[] {
  const found = new Map<string, string>();
  const hasCompared = COMPARISON.test(output);
  for (const line of output.split("\n").slice(-MAX_LINES)) {
    const ofGit = NO_FILE_OF_GIT.exec(line)?.[1];
    for (const path of ofGit === undefined ? [] : inFoldersAround(cwd, ofGit))
      if (mountAt(path, mounts)?.type === "hidden") found.set(path, hiddenText(path));
    if (COMPARISON.test(line) || (hasCompared && COMPARED_LINE.test(line))) continue;
    const isUnwritable = NOT_WRITABLE.test(line);
    const isUnopened = NOT_OPENED.test(line);
    if (!isUnwritable && !isUnopened && !NOT_FOUND.test(line)) continue;
    for (const path of namedPaths(line, cwd)) {
      const seen = mountAt(path, mounts);
      if (isUnwritable && seen?.type !== "write" && !isMemory(seen))
        found.set(path, `The sandbox keeps ${path} read-only, and the command tried to change it.`);
      else if (isUnopened && seen?.type === "hidden" && isOpenOutside(path))
        found.set(path, hiddenText(path));
      else if (!isUnwritable && !isUnopened && isHiddenHere(path, seen))
        found.set(path, `The sandbox does not have ${path}, and the command looked for it.`);
    }
  }
  return [...found.values()].slice(0, MAX_REFUSALS).map((text) => ({ type: "file", text }));
}

const hiddenText = (path: string): string => `The sandbox hides ${path}, and the command tried to open it.`;

/** A file that its reader may not open outside either is not the sandbox's to hide. */
function isOpenOutside(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== "EACCES";
  }
}

const inFoldersAround = (cwd: string, path: string): readonly string[] =>
  cwd === "/" ? [] : [resolve(cwd, path), ...inFoldersAround(dirname(cwd), path)];

/** There outside, and not inside: below a folder in memory, or below no mount. */
function isHiddenHere(path: string, seen: Mount | undefined): boolean {
  if (seen?.type === "write" || seen?.type === "read" || seen?.type === "link") return false;
  // A folder that every system has is often only a part of a name.
  return path.split("/").length > 2 && existsSync(path) && !lstatSync(path).isSocket();
}

const isMemory = (mount: Mount | undefined): boolean => mount?.type === "memory" || mount?.type === "folder";

/** The innermost mount that the path lies in. */
function mountAt(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts.findLast((mount) => path === mount.path || path.startsWith(`${mount.path}/`));
}

/** Without the program that says it, where that has a path: `/bin/bash: line 1: AGENTS.md: Read-only file system`. */
function namedPaths(line: string, cwd: string): readonly string[] {
  const behind = pathsIn(line.replace(/^\/\S+: (?:line \d+: )?/, ""), cwd);
  return behind.length > 0 ? behind : pathsIn(line, cwd);
}

/** Words of a line that look like a path: with a slash, or with a dot in them. */
function pathsIn(line: string, cwd: string): readonly string[] {
  const words = line
    .split(/[\s'"`‘’“”()[\]<>,;|]+/)
    .flatMap((word) => [word, word.replace(/^[\w.-]+[:=]/, "")]);
  return words
    .map((word) => word.replace(/[:.]+$/, ""))
    .filter((word) => word.length > 1 && word.length < 4096 && /\/|\./.test(word) && !word.includes("://"))
    .map((word) => resolve(cwd, word));
}
