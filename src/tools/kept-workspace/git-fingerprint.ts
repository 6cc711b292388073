/**
 * The state of a git folder as a short text, to see without git whether anything in it changed: names, sizes, times and
 * permission bits. A file's ctime changes with each write and cannot be set.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { SETTLED_MS, exactPathInfo } from "../path-info.js";
import { isOfGitFolder } from "./sort-new-paths.js";

const MAX_ENTRIES = 4_000;

/** Undefined when there are too many files, or when one changed so recently that another change might not show. */
export function gitFingerprint(folder: string): string | undefined {
  const hash = createHash("sha256");
  const settledMs = Date.now() - SETTLED_MS;
  let count = 0;
  const paths = [""];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const info = exactPathInfo(`${folder}/${path}`);
    count += 1;
    if (!info || count > MAX_ENTRIES || Number(info.ctimeMs) > settledMs) return undefined;
    hash.update(`${path}\0${info.ctimeNs} ${info.ino} ${info.size} ${info.mode}\0`);
    if (!info.isDirectory()) continue;
    for (const name of namesIn(`${folder}/${path}`)) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (isOfGitFolder(inner) && isOfGitFolder(`${inner}/`)) paths.push(inner);
    }
  }
  return hash.digest("hex");
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
