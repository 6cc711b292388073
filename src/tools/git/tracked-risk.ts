/**
 * Why git must not print the files that a repository tracks: one of them holds secrets, or lies below a link
 * that leads elsewhere.
 */
import { posix } from "node:path";
import { isProtectedName } from "../../policy/paths/protected-paths.js";
import type { Files } from "../workspace.js";

const MAX_FOLDERS = 50_000;

/** `top` is the real folder that the paths start from. */
export async function trackedRisk(
  top: string,
  paths: readonly string[],
  workspace: Files,
): Promise<string | undefined> {
  const secret = paths.find(isSecret);
  if (secret !== undefined) return `the repository tracks ${secret}, which holds secrets`;
  const folders = foldersOf(paths);
  if (folders.size > MAX_FOLDERS) return `the repository tracks more than ${MAX_FOLDERS} folders`;
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, type } of await workspace.list(posix.join(top, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (!folders.has(path)) continue;
      if (type === "link") return `the repository tracks files below ${path}, which is a link`;
      if (type === "folder") waiting.push(path);
    }
  }
  return undefined;
}

const MAX_KNOWN = 200_000;
const known = new Map<string, boolean>();

/** Cached, because every command checks the same paths. */
function isSecret(path: string): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  const now = isProtectedName(path, "read");
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, now);
  return now;
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    let folder = posix.dirname(path);
    while (folder !== "." && folder !== "/" && !folders.has(folder)) {
      folders.add(folder);
      folder = posix.dirname(folder);
    }
  }
  return folders;
}
