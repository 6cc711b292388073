/** The paths that words of a command stand for, by their letters alone. */
import { normalisePath } from "./paths/match-path.js";

/** Not shortened: where `..` leads depends on what stands before it. */
export const joined = (folder: string, word: string): string =>
  word.startsWith("/") ? word : `${folder}/${word}`;

export const GLOB = /[*?[]/;

/** A folder or file name in the pattern that begins with a dot: only such a pattern names hidden files. */
export const HIDDEN_GLOB = /(?:^|\/)\.(?!\.?(?:\/|$))/;

/** From the first name with a star in it: a hidden folder before that is named, and judged by its name. */
export const globbedPart = (word: string): string => word.slice(word.lastIndexOf("/", word.search(GLOB)) + 1);

export const isGlobPath = (word: string): boolean =>
  word.includes("/") && GLOB.test(word) && !word.startsWith("-");

/** The part of a pattern's path that is written out. */
export function fixedFolder(word: string): string {
  const slash = word.slice(0, word.search(GLOB)).lastIndexOf("/");
  return slash === -1 ? "." : slash === 0 ? "/" : word.slice(0, slash);
}

/** A word, and what stands behind an equals sign, a colon, an `@` or a flag's letter in it. */
export function valuesIn(word: string): readonly string[] {
  const attached = /^-[a-zA-Z](?<value>.+)/.exec(word)?.groups?.["value"];
  return [word, ...word.split(/[=:,@]/).slice(1), attached ?? ""].filter((value) => value !== "");
}

export const FILE_URL = /^file:/i;

/** The file that a `file:` address names, as the program reads it; any file where that is unknown. */
export function fileOfUrl(text: string): readonly string[] {
  if (!FILE_URL.test(text)) return [];
  const encoded = text.replace(/^file:(?:\/\/[^/]*)?/i, "");
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [NO_PATH];
  }
}

/** No path has this in it, so that it is read as any path. */
const NO_PATH = "\0";

export function folderAfter(start: string, changes: readonly string[], home: string): string | undefined {
  let folder: string | undefined = start;
  for (const change of changes) folder = folder === undefined ? undefined : filePath(change, folder, home);
  return folder;
}

/** A word that is surely a file: to the system `a://b` and `C:\\x` are names like any other. */
export function filePath(word: string, cwd: string, home: string): string | undefined {
  return pathOf(word, cwd, home) ?? (isRooted(word) ? undefined : pathOf(`./${word}`, cwd, home));
}

const isRooted = (word: string): boolean => word === "" || /^[/~]/.test(word);

export function pathOf(word: string, cwd: string, home: string): string | undefined {
  return normalisePath(cwd, atHome(word, home));
}

export const atHome = (word: string, home: string): string =>
  word === "~" || word.startsWith("~/") ? home + word.slice(1) : word;
