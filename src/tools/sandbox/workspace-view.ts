/**
 * How a command sees the workspace: writable, but for the names that are protected there. Secrets are hidden, other
 * protected names are read-only, and every folder above one of them is a mount of its own, so that it cannot be moved
 * aside and replaced.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Guarded } from "./find-guarded.js";
import type { Mount } from "./mount.js";
import { repositoryMounts } from "./repository-mounts.js";

/** `decoys`: the files that are shown in place of secrets, by the path of each. */
export function workspaceView(
  roots: readonly string[],
  guarded: Iterable<Guarded>,
  decoys: ReadonlyMap<string, string>,
): readonly Mount[] {
  const inner = [...guarded].flatMap((one): readonly Mount[] => {
    if (one.type === "link") return targetMounts(one, roots);
    if (one.type === "repository") return repositoryMounts(one, roots);
    const decoy = decoys.get(one.path);
    const mount = mountOf(one);
    return [decoy !== undefined && mount.type === "hidden" ? { ...mount, decoy } : mount];
  });
  const mounted = new Set(inner.map(({ path }) => path));
  const above = new Set(inner.flatMap(({ path }) => foldersAbove(path, roots)));
  const folders = [...above].filter((path) => !mounted.has(path));
  const writable = [...roots, ...folders].map((path): Mount => ({ type: "write", path }));
  const once = new Map([...writable, ...inner].map((mount) => [`${mount.type} ${mount.path}`, mount]));
  return byDepth(withoutCovered([...once.values()]));
}

/** The file or folder of the workspace that a protected link leads to. */
function targetMounts(
  { path, isSecret }: Extract<Guarded, { readonly type: "link" }>,
  roots: readonly string[],
): readonly Mount[] {
  try {
    const target = realpathSync(path);
    if (!roots.some((root) => target.startsWith(`${root}/`)) || roots.some((root) => isIn(root, target)))
      return [];
    const isFolder = statSync(target).isDirectory();
    return [isSecret ? { type: "hidden", path: target, isFolder } : { type: "read", path: target }];
  } catch {
    // Leads nowhere.
    return [];
  }
}

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function mountOf(one: Extract<Guarded, { readonly type: "protected" | "special" }>): Mount {
  const { path } = one;
  if (one.type === "special") return { type: "hidden", path, isFolder: false };
  return one.isSecret ? { type: "hidden", path, isFolder: one.isFolder } : { type: "read", path };
}

/**
 * Without those that another mount covers: one that hides covers all at its path and below, one that cannot be written
 * covers all below but what is hidden.
 */
function withoutCovered(mounts: readonly Mount[]): readonly Mount[] {
  const closed = mounts.filter(({ type }) => type !== "write");
  return mounts.filter((mount) => !closed.some((outer) => covers(outer, mount)));
}

const covers = (outer: Mount, { path, type }: Mount): boolean =>
  path.startsWith(`${outer.path}/`)
    ? outer.type === "hidden" || type !== "hidden"
    : path === outer.path && (type === "write" || (outer.type === "hidden" && type !== "hidden"));

/** Outer ones first. */
const byDepth = (mounts: readonly Mount[]): readonly Mount[] =>
  mounts.toSorted((one, other) => depthOf(one.path) - depthOf(other.path));

const depthOf = (path: string): number => path.split("/").length;

/** Without the root of the workspace itself. */
function foldersAbove(path: string, roots: readonly string[]): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); !roots.includes(folder) && folder !== "/"; folder = dirname(folder))
    folders.push(folder);
  return folders;
}
