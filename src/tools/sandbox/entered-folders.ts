/**
 * Repositories among the dependencies that git enters by itself. A walk over the workspace passes these folders over, but
 * `git status` starts git in every folder that the index names as a submodule, and the settings there start programs.
 */
import { accessSync, constants, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../call/error-code.js";
import { fileBytes } from "../file-text.js";
import { SETTLED_MS, exactPathInfo } from "../path-info.js";
import { readIndex } from "../git/read-index.js";
import { repositoryAt } from "../kept-workspace/user-repository.js";
import { MAX_INDEX_BYTES } from "./tracked-files.js";

/** Folders below the passed-over ones that may hold a `.git` of their own and that git enters. */
export function enteredFolders(
  { top, gitFolder }: { readonly top: string; readonly gitFolder: string },
  passedOver: readonly string[],
): readonly string[] {
  if (passedOver.length === 0) return [];
  const submodules = submodulesOf(top, join(gitFolder, "index"));
  const folders = submodules?.map((path) => join(top, path)) ?? passedOver.flatMap(foldersWithGit);
  const inside = (path: string): boolean =>
    passedOver.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const all = folders.filter(inside).flatMap((path) => [path, ...foldersOnTheWay(path, top).filter(inside)]);
  return [...new Set(all)].filter(isReal);
}

/**
 * Git reaches a submodule by its bytes and we by text, so a name that is no text is looked for in the folder that holds
 * it. A closed folder on the way hides a submodule until somebody opens it.
 */
function foldersOnTheWay(path: string, top: string): readonly string[] {
  const found: string[] = [];
  for (let at = path; at.length > top.length; at = dirname(at)) {
    if (at.slice(dirname(at).length).includes(NO_TEXT)) found.push(dirname(at));
    else if (isClosed(at)) found.push(at);
  }
  return found;
}

/** Stands in a text for bytes that are none. */
const NO_TEXT = "\ufffd";

function isClosed(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    return errorCode(error) === "EACCES";
  }
}

const known = new Map<
  string,
  { readonly stamp: string; readonly submodules: readonly string[] | undefined }
>();

/** Undefined when git might read the index differently. */
function submodulesOf(top: string, index: string): readonly string[] | undefined {
  const info = exactPathInfo(index);
  if (!info) return [];
  if (!info.isFile() || info.size > MAX_INDEX_BYTES) return undefined;
  const stamp = `${info.ctimeNs} ${info.ino} ${info.size}`;
  const earlier = known.get(index);
  if (earlier?.stamp === stamp) return earlier.submodules;
  const format = repositoryAt(top)?.format ?? "sha1";
  const bytes = fileBytes(index, MAX_INDEX_BYTES);
  const submodules = bytes && readIndex(bytes, format)?.submodules;
  if (Date.now() - Number(info.ctimeMs) >= SETTLED_MS) known.set(index, { stamp, submodules });
  return submodules;
}

/** For an index that is not understood: everything that could be a submodule. */
function foldersWithGit(folder: string): readonly string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = entriesOf(at);
    if (!entries) found.push(at);
    for (const entry of entries ?? []) {
      if (entry.name === ".git") found.push(at);
      else if (entry.isDirectory()) folders.push(join(at, entry.name));
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Git enters it by name.
    return undefined;
  }
}

/** Git does not follow links to a submodule. */
function isReal(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
