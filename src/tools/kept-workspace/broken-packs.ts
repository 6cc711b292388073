/**
 * Lists of packs that a command left and that lie: git believes the list of a pack without reading its objects, and
 * before it looks for an object anywhere else. Such a list gives an object of the history another content.
 */
import { join } from "node:path";
import { pathInfo } from "../path-info.js";
import { namesIn } from "../names-in.js";
import { type LostObjects, MAX_COPIED_BYTES, type ObjectNames } from "./object-files.js";
import type { ShadowGit } from "./shadow-git.js";

const TOO_LARGE = "it lists the objects of a new pack that is too large to be checked";
/** Times of files may lag behind the clock by this much. */
const CLOCK_SLACK_MS = 1_000;

/** Git makes a list again from its pack, so nothing is lost without one. */
export async function brokenPacks(
  git: ShadowGit,
  objects: string,
  { names, deadline }: { readonly names: ObjectNames; readonly deadline: number },
): Promise<Pick<LostObjects, "broken" | "files">> {
  const folder = join(objects, "pack");
  const known = new Set(names.folders.get("pack")?.names);
  const made = namesIn(folder).filter((name) => {
    const changedMs = pathInfo(join(folder, name))?.ctimeMs ?? 0;
    return IS_LIST.test(name) && !known.has(name) && changedMs >= names.sinceMs - CLOCK_SLACK_MS;
  });
  const broken: string[] = [];
  const files: { readonly path: string; readonly reason: string }[] = [];
  let bytes = 0;
  for (const name of made) {
    const path = join(folder, name);
    bytes += pathInfo(path.replace(/idx$/, "pack"))?.size ?? 0;
    // Git only reads faster with a list of several packs.
    if (!name.endsWith(".idx")) broken.push(path);
    else if (bytes > MAX_COPIED_BYTES) files.push({ path, reason: TOO_LARGE });
    else if (!(await isTrue(git, path, deadline))) broken.push(path);
  }
  return { broken, files };
}

/** Git looks for objects there too. */
export const hasNewAlternates = (objects: string, { sinceMs }: ObjectNames): boolean =>
  (pathInfo(join(objects, "info/alternates"))?.ctimeMs ?? 0) >= sinceMs - CLOCK_SLACK_MS;

const IS_LIST = /\.idx$|^multi-pack-index/;

async function isTrue(git: ShadowGit, path: string, deadline: number): Promise<boolean> {
  const format = /-[\da-f]{64}\.idx$/.test(path) ? "sha256" : "sha1";
  const words = ["verify-pack", `--object-format=${format}`, path];
  return git.run(words, { deadline }).then(
    () => true,
    () => false,
  );
}
