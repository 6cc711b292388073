/**
 * How a command sees the workspace: writable, but for the names that are protected there. Secrets are hidden, other
 * protected names are read-only, and every folder above one of them is a mount of its own, so that it cannot be moved
 * aside and replaced.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Guarded } from "./find-guarded.js";
import { worktreeMounts } from "./linked-worktree.js";
import type { Mount } from "./mount.js";
import { repositoryMounts } from "./repository-mounts.js";

export type WorkspaceViewOptions = {
  readonly home: string;
  /** The files that are shown in place of secrets, by the path of each. */
  readonly decoys: ReadonlyMap<string, string>;
  /** The folders that can be written; the whole workspace when left out. */
  readonly writable?: readonly string[] | undefined;
  /** An empty file. */
  readonly empty: string;
};

export function workspaceView(
  roots: readonly string[],
  guarded: readonly Guarded[],
  { home, decoys, writable, empty }: WorkspaceViewOptions,
): readonly Mount[] {
  const inner = guarded.flatMap((one): readonly Mount[] => {
    if (one.type === "nameless" || one.type === "worktree") return [];
    if (one.type === "link") return one.isOfGit ? [] : targetMounts(one, roots);
    if (one.type === "repository")
      return writable ? [{ type: "read", path: one.path }] : repositoryMounts(one, { home, roots });
    const decoy = decoys.get(one.path);
    const mount = mountOf(one);
    return [decoy !== undefined && mount.type === "hidden" ? { ...mount, decoy } : mount];
  });
  const linked = guarded.flatMap((one) =>
    one.type === "worktree"
      ? worktreeMounts(one, { home, roots, empty, isClosed: writable !== undefined })
      : [],
  );
  const nameless = guarded.flatMap(({ type, path }) => (type === "nameless" ? [path] : []));
  const views = writable ? mostlyRead(roots, inner, writable) : written(roots, inner, nameless);
  return [...views, ...linked];
}

/** `nameless`: folders that are mounted later (`nameless-mounts.ts`). */
function written(
  roots: readonly string[],
  inner: readonly Mount[],
  nameless: readonly string[],
): readonly Mount[] {
  const later = nameless.map((path): Mount => ({ type: "read", path }));
  const writing = [...roots, ...aroundThem([...inner, ...later], roots)].map((path): Mount => ({
    type: "write",
    path,
  }));
  return layered([...writing, ...inner]);
}

/** Read-only but for some folders: names that are only read-only need a mount of their own only in those. */
function mostlyRead(
  roots: readonly string[],
  inner: readonly Mount[],
  writable: readonly string[],
): readonly Mount[] {
  const open = writable.filter((folder) => !inner.some(({ path }) => isIn(folder, path)));
  const needed = inner.filter(
    ({ type, path }) => type === "hidden" || open.some((folder) => isIn(path, folder)),
  );
  const around = aroundThem(needed, roots).filter((path) =>
    open.some((folder) => path.startsWith(`${folder}/`)),
  );
  return [
    ...roots.map((path): Mount => ({ type: "read", path })),
    ...open.map((path): Mount => ({ type: "write", path })),
    ...layered([...around.map((path): Mount => ({ type: "write", path })), ...needed]),
  ];
}

/** The folders above the mounts: one that is a mount itself cannot be moved aside. */
function aroundThem(inner: readonly Mount[], roots: readonly string[]): readonly string[] {
  const mounted = new Set(inner.map(({ path }) => path));
  const above = new Set(inner.flatMap(({ path }) => foldersAbove(path, roots)));
  return [...above].filter((path) => !mounted.has(path));
}

function layered(mounts: readonly Mount[]): readonly Mount[] {
  const once = new Map(mounts.map((mount) => [`${mount.type} ${mount.path}`, mount]));
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
