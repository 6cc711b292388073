/** The files in the index of a repository with length and time, as git last saw them. Read once for each index. */
import { dirname, join } from "node:path";
import { fileBytes } from "../file-text.js";
import { exactPathInfo } from "../path-info.js";
import { indexStats } from "../kept-workspace/seed-index.js";
import { repositoryAt } from "../kept-workspace/user-repository.js";
import type { Guarded } from "./find-guarded.js";

export type TrackedFile = { readonly size: number; readonly seconds: number };

export const MAX_INDEX_BYTES = 1 << 28;
const known = new Map<string, { readonly stamp: string; readonly files: ReadonlyMap<string, TrackedFile> }>();

/** A folder of files with an index of git: of a repository or of a further worktree. */
export type Tracking = { readonly top: string; readonly gitFolder: string };

export function trackingOf(one: Guarded): Tracking | undefined {
  if (one.type === "worktree") return { top: one.top, gitFolder: one.path };
  return one.type === "repository" && !one.isBare
    ? { top: dirname(one.path), gitFolder: one.path }
    : undefined;
}

/** By path below the folder of the files. Empty when git might read the index differently. */
export function trackedFiles({ top, gitFolder }: Tracking): ReadonlyMap<string, TrackedFile> {
  const index = join(gitFolder, "index");
  const info = exactPathInfo(index);
  if (!info?.isFile() || info.size > MAX_INDEX_BYTES) return new Map();
  const stamp = `${info.ctimeNs} ${info.ino} ${info.size}`;
  const earlier = known.get(index);
  if (earlier?.stamp === stamp) return earlier.files;
  const format = repositoryAt(top)?.format ?? "sha1";
  const bytes = fileBytes(index, MAX_INDEX_BYTES);
  const files = (bytes && indexStats(bytes, format)) ?? new Map<string, TrackedFile>();
  known.set(index, { stamp, files });
  return files;
}
