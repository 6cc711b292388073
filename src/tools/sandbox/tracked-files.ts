/** The files in the index of a repository with length and time, as git last saw them. Read once for each index. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exactPathInfo } from "../path-info.js";
import { indexStats } from "../kept-workspace/seed-index.js";
import { repositoryAt } from "../kept-workspace/user-repository.js";

export type TrackedFile = { readonly size: number; readonly seconds: number };

export const MAX_INDEX_BYTES = 1 << 28;
const known = new Map<string, { readonly stamp: string; readonly files: ReadonlyMap<string, TrackedFile> }>();

/** By path below the repository's folder. Empty when git might read the index differently. */
export function trackedFiles(gitFolder: string): ReadonlyMap<string, TrackedFile> {
  const index = join(gitFolder, "index");
  const info = exactPathInfo(index);
  if (!info?.isFile() || info.size > MAX_INDEX_BYTES) return new Map();
  const stamp = `${info.ctimeNs} ${info.ino} ${info.size}`;
  const earlier = known.get(index);
  if (earlier?.stamp === stamp) return earlier.files;
  const format = repositoryAt(dirname(gitFolder))?.format ?? "sha1";
  const files = indexStats(readFileSync(index), format) ?? new Map<string, TrackedFile>();
  known.set(index, { stamp, files });
  return files;
}
