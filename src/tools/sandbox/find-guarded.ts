/**
 * Finds what a sandbox must guard in a workspace: names that are protected (`policy/paths/protected-names.ts`),
 * repositories of git, and things that are no plain files. Contents of dependency folders are passed over: nobody starts
 * programs in them by opening a folder, and they hold more entries than everything else together.
 */
import { type Dirent, existsSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../call/error-code.js";
import type { PathGuard } from "../../policy/index.js";
import { touchesBelow, touchesPath } from "../../policy/paths/match-path.js";
import { isProtected, mayBeProtected } from "../../policy/paths/protected-paths.js";

export type Guarded =
  /** A protected name. `isSecret`: reading it is protected too. */
  | {
      readonly type: "protected";
      readonly path: string;
      readonly isFolder: boolean;
      readonly isSecret: boolean;
    }
  /** A link with a protected name; a link cannot be mounted over. */
  | { readonly type: "link"; readonly path: string; readonly target: string }
  /** The `.git` folder of a repository. */
  | Repository
  /** A socket or a pipe. */
  | { readonly type: "special"; readonly path: string };

export type Repository = {
  readonly type: "repository";
  readonly path: string;
  /** A folder that git takes for a repository because of the names in it. */
  readonly isBare: boolean;
  /** The names in it from which git takes settings or programs. */
  readonly steering: readonly string[];
};

export type GuardedPlaces = {
  readonly home: string;
  readonly roots: readonly string[];
  readonly own: readonly string[];
  /** Paths that rules name. */
  readonly guards?: readonly PathGuard[];
};

const PASSED_OVER = new Set(["node_modules", "site-packages"]);
const BARE = ["HEAD", "objects", "refs"];

/** All of them below the roots, by path. A folder that cannot be read has none: the command cannot read it either. */
export async function findGuarded(places: GuardedPlaces): Promise<ReadonlyMap<string, Guarded>> {
  const found = new Map<string, Guarded>();
  let folders = [...places.roots];
  while (folders.length > 0) {
    const inner = await Promise.all(folders.map((folder) => lookInto(folder, places, found)));
    folders = inner.flat();
  }
  return found;
}

/** Adds what is guarded in this folder and returns the folders in it that are to be looked into. */
async function lookInto(
  folder: string,
  places: GuardedPlaces,
  found: Map<string, Guarded>,
): Promise<readonly string[]> {
  const entries = await entriesOf(folder);
  const names = new Set(entries.map(({ name }) => name));
  if (BARE.every((name) => names.has(name))) found.set(folder, repository(folder, true));
  const inner: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const guarded = guardedAt(path, entry, places);
    if (guarded) found.set(path, guarded);
    else if (entry.isDirectory() && !isPassedOver(path, entry.name, places)) inner.push(path);
  }
  return inner;
}

/** A rule may name something among the dependencies. */
const isPassedOver = (path: string, name: string, { guards = [] }: GuardedPlaces): boolean =>
  PASSED_OVER.has(name) && !guards.some(({ pattern }) => touchesBelow(pattern, path));

function guardedAt(path: string, entry: Dirent, places: GuardedPlaces): Guarded | undefined {
  const isFolder = entry.isDirectory();
  const named = (places.guards ?? []).filter(({ pattern }) => touchesPath(pattern, path));
  if (named.length > 0 && entry.isSymbolicLink()) return { type: "link", path, target: readlinkSync(path) };
  if (named.length > 0)
    return { type: "protected", path, isFolder, isSecret: named.some(({ isHidden }) => isHidden) };
  if (entry.name === ".git" && isFolder) return repository(path, false);
  if (entry.isSocket() || entry.isFIFO()) return { type: "special", path };
  if (!mayBeProtected(entry.name) && !places.own.includes(path)) return undefined;
  if (isProtected(path, { ...places, access: "write" }) === undefined) return undefined;
  if (entry.isSymbolicLink()) return { type: "link", path, target: readlinkSync(path) };
  const isSecret = isProtected(path, { ...places, access: "read" }) !== undefined;
  return { type: "protected", path, isFolder, isSecret };
}

function repository(path: string, isBare: boolean): Repository {
  const steering = STEERING.filter((name) => existsSync(join(path, name)));
  return {
    type: "repository",
    path,
    isBare,
    steering: runsByRebase(path) ? [...steering, REBASE] : steering,
  };
}

const STEERING = [
  "config",
  "config.worktree",
  "hooks",
  "modules",
  "worktrees",
  "info",
  "remotes",
  "branches",
  "commondir",
];
const REBASE = "rebase-merge";

/** A rebase that was left half done may have programs among its steps. */
function runsByRebase(path: string): boolean {
  const file = join(path, REBASE, "git-rebase-todo");
  return existsSync(file) && /^\s*(?:x|exec)\s/m.test(readFileSync(file, "latin1"));
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (["EACCES", "ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}
