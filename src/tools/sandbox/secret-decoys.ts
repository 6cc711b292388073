/**
 * Hidden files that git tracks. A device in the place of such a file looks like a deletion to git, so the sandbox shows a
 * decoy: a file of the same length and time that holds zeros and that nobody may open. Git inside compares only these
 * two (see `git-identity.ts`), takes the file as unchanged and does not read it. A file that differs from its entry in
 * the index gets no decoy: git would want to read it.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathInfo } from "../path-info.js";
import type { Guarded } from "./find-guarded.js";
import { trackedFiles, trackingOf } from "./tracked-files.js";

/** The decoys by the path that each is shown at. `folder`: where they lie. */
export function secretDecoys(
  guarded: ReadonlyMap<string, Guarded>,
  folder: string,
): ReadonlyMap<string, string> {
  const decoys = new Map<string, string>();
  const secrets = [...guarded.values()].filter(
    (one) => one.type === "protected" && one.isSecret && !one.isFolder,
  );
  if (secrets.length === 0) return decoys;
  for (const one of guarded.values()) {
    const tracking = trackingOf(one);
    if (!tracking) continue;
    const { top } = tracking;
    const inside = secrets.map(({ path }) => path).filter((path) => path.startsWith(`${top}/`));
    const tracked = inside.length === 0 ? undefined : trackedFiles(tracking);
    for (const path of inside) {
      const entry = tracked?.get(path.slice(top.length + 1));
      const info = pathInfo(path);
      if (!entry || !info?.isFile()) continue;
      const seconds = Math.floor(info.mtimeMs / 1000);
      if (entry.size === info.size && entry.seconds === seconds)
        decoys.set(path, decoyOf(folder, path, entry));
    }
  }
  return decoys;
}

type Entry = { readonly size: number; readonly seconds: number };

function decoyOf(folder: string, path: string, { size, seconds }: Entry): string {
  const name = createHash("sha256")
    .update(JSON.stringify([path, size, seconds]))
    .digest("hex")
    .slice(0, 16);
  const file = join(folder, `decoy-${name}`);
  if (existsSync(file)) return file;
  writeFileSync(file, "");
  truncateSync(file, size);
  utimesSync(file, seconds, seconds);
  chmodSync(file, 0);
  return file;
}
