/**
 * The files and folders of `/etc` that not everybody may read: services keep their passwords in them. To root, and to
 * members of a group, the system would show them.
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "./mount.js";
import { namesIn } from "../names-in.js";

const SETTINGS = "/etc";
/** Services are installed and set up rarely, and a walk takes longer than the start of a sandbox. */
const KNOWN_MS = 300_000;

let known: { readonly mounts: readonly Mount[]; readonly atMs: number } | undefined;

export function closedSettings(): readonly Mount[] {
  const nowMs = performance.now();
  if (!known || nowMs - known.atMs > KNOWN_MS) known = { mounts: closedBelow(SETTINGS), atMs: nowMs };
  return known.mounts;
}

function closedBelow(folder: string): readonly Mount[] {
  return namesIn(folder).flatMap((name): readonly Mount[] => {
    const path = join(folder, name);
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (!info || (!info.isFile() && !info.isDirectory())) return [];
    const isFolder = info.isDirectory();
    const needed = isFolder ? 0o005 : 0o004;
    if ((info.mode & needed) !== needed) return [{ type: "hidden", path, isFolder }];
    return isFolder ? closedBelow(path) : [];
  });
}
