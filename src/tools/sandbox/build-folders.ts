/**
 * Folders of a workspace that a server may write while it stays: results of builds and caches, known by their names, in
 * which git tracks nothing. A build makes them again, so no undo has to bring them back. People give some of the names to
 * folders of their own: such a one must also be ignored by git.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Guarded } from "./find-guarded.js";
import { isIgnored } from "./is-ignored.js";
import { trackedFiles, trackingOf } from "./tracked-files.js";

const NAMES: ReadonlySet<string> = new Set(
  [
    "node_modules .next .nuxt .output .svelte-kit .astro .angular .vite .parcel-cache .turbo .cache .webpack",
    "dist build out target obj bin __pycache__ .pytest_cache .gradle .dart_tool _build .elixir_ls",
    "tmp log logs coverage site _site .jekyll-cache .docusaurus",
  ].flatMap((line) => line.split(" ")),
);
const MAY_BE_OWN: ReadonlySet<string> = new Set("bin build out site tmp log logs".split(" "));
const MAX_DEPTH = 3;
const MAX_FOLDERS = 2_000;

export function buildFolders(
  roots: readonly string[],
  guarded: ReadonlyMap<string, Guarded>,
): readonly string[] {
  const found: string[] = [];
  let folders: readonly string[] = roots;
  for (let depth = 0, looked = 0; depth < MAX_DEPTH; depth += 1) {
    const inner: string[] = [];
    for (const folder of folders) {
      if ((looked += 1) > MAX_FOLDERS) break;
      for (const name of foldersIn(folder))
        if (NAMES.has(name)) found.push(join(folder, name));
        else if (!name.startsWith(".") && !guarded.has(join(folder, name))) inner.push(join(folder, name));
    }
    folders = inner;
  }
  const tracked = trackedFolders(guarded);
  return found.filter((path) => {
    const top = tracked.topOf(path);
    if (top === undefined || tracked.folders.has(path)) return false;
    return !MAY_BE_OWN.has(basename(path)) || isIgnored(path, top);
  });
}

/** Links are left out: they may lead anywhere. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** The folders with such a name in which a file is tracked, and where that is known: in repositories whose index we read. */
function trackedFolders(guarded: ReadonlyMap<string, Guarded>) {
  const folders = new Set<string>();
  const tops: string[] = [];
  for (const one of guarded.values()) {
    const tracking = trackingOf(one);
    if (!tracking) continue;
    const { top, gitFolder } = tracking;
    const files = trackedFiles(tracking);
    if (files.size === 0 && existsSync(join(gitFolder, "index"))) continue;
    tops.push(top);
    for (const file of files.keys()) {
      const names = file.split("/");
      const at = names.slice(0, -1).findIndex((name) => NAMES.has(name));
      if (at >= 0) folders.add(join(top, ...names.slice(0, at + 1)));
    }
  }
  // The innermost repository decides.
  const inside = tops.toSorted((one, other) => other.length - one.length);
  return { folders, topOf: (path: string) => inside.find((top) => path.startsWith(`${top}/`)) };
}
