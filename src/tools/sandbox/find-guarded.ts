/**
 * Finds what a sandbox must guard in a workspace: names that are protected (`policy/paths/protected-names.ts`),
 * repositories of git, and things that are no plain files. Contents of dependency folders are passed over: nobody starts
 * programs in them by opening a folder, and they hold more entries than everything else together.
 */
import {
  accessSync,
  constants,
  type Dirent,
  existsSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileText } from "../file-text.js";
import { SETTLED_MS, pathInfo } from "../path-info.js";
import { errorCode } from "../../call/error-code.js";
import type { PathGuard } from "../../policy/index.js";
import { touchesBelow, touchesPath } from "../../policy/paths/match-path.js";
import { isProtected, mayBeProtected } from "../../policy/paths/protected-paths.js";
import { repositoryAround } from "../kept-workspace/user-repository.js";
import { COMMON_FOLDER, isOurCommonFolder } from "./common-folder.js";
import { enteredFolders } from "./entered-folders.js";
import { linkedWorktree, openFolders } from "./linked-worktree.js";
import { namedBySettings, settingsAt } from "./named-by-settings.js";

export type Guarded =
  /** A protected name. `isSecret`: reading it is protected too. */
  | {
      readonly type: "protected";
      readonly path: string;
      readonly isFolder: boolean;
      readonly isSecret: boolean;
    }
  /**
   * A link with a protected name; a link cannot be mounted over, but the file that it leads to can. `isOfGit`: it lies
   * among git's own files, and git writes through it.
   */
  | {
      readonly type: "link";
      readonly path: string;
      readonly target: string;
      readonly isSecret: boolean;
      readonly isOfGit?: true;
    }
  /** The `.git` folder of a repository. */
  | Repository
  | Worktree
  /** A socket or a pipe. */
  | { readonly type: "special"; readonly path: string }
  /** A folder whose name is no text, so that no path leads into it. `bytes`: the name, in hexadecimal digits. */
  | { readonly type: "nameless"; readonly path: string; readonly bytes: string };

export type Repository = {
  readonly type: "repository";
  readonly path: string;
  /** A folder that git takes for a repository because of the names in it. */
  readonly isBare: boolean;
  /** The names in it from which git takes settings or programs. */
  readonly steering: readonly string[];
};

/** The folder of a further worktree in its repository. */
export type Worktree = {
  readonly type: "worktree";
  readonly path: string;
  /** The folder of its files. */
  readonly top: string;
  /** The folder of the repository: branches, settings and objects. */
  readonly shared: string;
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

/**
 * All of them below the roots, by path. A folder that cannot be read is one of them. With
 * `seen`, a folder that has not changed since an earlier walk is not read again.
 */
export function findGuarded(places: GuardedPlaces, seen?: SeenFolders): ReadonlyMap<string, Guarded> {
  const found = new Map<string, Guarded>();
  const folders = [...places.roots];
  const dependencies: string[] = [];
  seen?.start(places);
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { guarded, inner, passedOver } = seen ? seen.look(folder, places) : lookInto(folder, places);
    for (const one of guarded) found.set(one.path, one.type === "repository" ? again(one) : one);
    folders.push(...inner);
    dependencies.push(...passedOver);
  }
  // Entries that are added on the way are visited too: a submodule may have submodules.
  for (const one of found.values()) {
    if (one.type === "protected" && one.isFolder && !one.isSecret)
      for (const secret of secretsBelow(one.path, places)) found.set(secret.path, secret);
    const linked =
      one.type === "protected" && basename(one.path) === ".git" ? worktreeOf(one, places) : undefined;
    if (linked) found.set(linked.path, linked);
    if (one.type !== "repository" && one.type !== "worktree") continue;
    const steering = STEERING.map((name) => join(one.path, name));
    for (const odd of oddFiles(one.type === "worktree" ? openFolders(one) : [one.path], {
      places,
      seen,
      steering,
    }))
      found.set(odd.path, odd);
    for (const link of steeringLinks(one.path)) found.set(link.path, link);
    if (one.type === "repository" && one.isBare) continue;
    const top = one.type === "worktree" ? one.top : dirname(one.path);
    for (const folder of enteredFolders({ top, gitFolder: one.path }, dependencies))
      for (const inner of lookInto(folder, places).guarded) found.set(inner.path, inner);
  }
  for (const path of obeyedPaths(found, places)) {
    const named = found.has(path) ? undefined : namedAt(path);
    if (named) found.set(path, named);
  }
  return found;
}

/** Paths of the workspace that settings of git name: of the repositories in it, and of the one that it lies in. */
function obeyedPaths(found: ReadonlyMap<string, Guarded>, places: GuardedPlaces): readonly string[] {
  const inside = [...found.keys()].filter((path) => basename(path) === ".git").map((path) => dirname(path));
  const around = places.roots.flatMap((root) => repositoryAround(root)?.repository.top ?? []);
  const tops = [...new Set([...inside, ...around])];
  return tops.flatMap((top) => namedBySettings(settingsAt(top), places).obeyed);
}

type Folder = {
  readonly guarded: readonly Guarded[];
  /** The folders in it that are to be looked into. */
  readonly inner: readonly string[];
  /** The folders of dependencies in it. */
  readonly passedOver: readonly string[];
};

/**
 * The folders of earlier walks. A name that is made, removed or renamed in a folder changes the folder's ctime, which no
 * command can set.
 */
export class SeenFolders {
  #key = "";
  readonly #folders = new Map<string, { readonly folder: Folder; readonly info: Stats }>();

  look(path: string, places: GuardedPlaces, how = lookInto): Folder {
    const info = settledInfo(path);
    const key = `${how.name} ${path}`;
    const known = info && this.#folders.get(key);
    if (known && isUnchanged(known.info, info)) return known.folder;
    const folder = how(path, places);
    if (!info || this.#folders.size >= MAX_SEEN) this.#folders.delete(key);
    else this.#folders.set(key, { folder, info });
    return folder;
  }

  /** For a walk: what is guarded depends on these places. */
  start({ home, own, guards }: GuardedPlaces): void {
    const key = JSON.stringify([home, own, guards]);
    if (key === this.#key) return;
    this.#key = key;
    this.#folders.clear();
  }
}

const MAX_SEEN = 200_000;

/**
 * Undefined for a folder that changed just now, since another change might not show. Times as numbers lack the last
 * digits, which do not count after such a wait, and take half as long to read as exact ones.
 */
function settledInfo(path: string): Stats | undefined {
  try {
    const info = statSync(path);
    return Date.now() - info.ctimeMs < SETTLED_MS ? undefined : info;
  } catch {
    return undefined;
  }
}

const isUnchanged = (earlier: Stats, now: Stats): boolean =>
  earlier.ctimeMs === now.ctimeMs && earlier.ino === now.ino && earlier.dev === now.dev;

function lookInto(folder: string, places: GuardedPlaces): Folder {
  const entries = isReachable(folder) ? entriesOf(folder) : undefined;
  if (!entries) return places.roots.includes(folder) ? NOTHING : unreadable(folder);
  const names = new Set(entries.map(({ name }) => name));
  const guarded: Guarded[] = BARE.every((name) => names.has(name)) ? [repository(folder, true)] : [];
  const inner: string[] = [];
  const passedOver: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const one = guardedAt(path, entry, places);
    if (entry.isDirectory() && entry.name.includes(NO_TEXT)) guarded.push(...namelessFolders(folder));
    else if (one) guarded.push(one);
    else if (entry.isDirectory()) (isPassedOver(path, entry.name, places) ? passedOver : inner).push(path);
  }
  return { guarded, inner, passedOver };
}

const NOTHING: Folder = { guarded: [], inner: [], passedOver: [] };

/** Stands for the bytes of a name that are no text. */
const NO_TEXT = "\uFFFD";

function namelessFolders(folder: string): readonly Guarded[] {
  const entries = readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names
    .filter((name) => !Buffer.from(name.toString()).equals(name))
    .map((name) => ({
      type: "nameless",
      path: join(folder, name.toString("latin1")),
      bytes: name.toString("hex"),
    }));
}

/** A command could make it readable, or have closed it so that a repository in it is not found: git enters it by name. */
const unreadable = (path: string): Folder => ({
  guarded: [{ type: "protected", path, isFolder: true, isSecret: true }],
  inner: [],
  passedOver: [],
});

/** Below, the system no longer takes a path to all that could be there. */
const MAX_PATH_BYTES = 3_000;

function isReachable(folder: string): boolean {
  if (Buffer.byteLength(folder) > MAX_PATH_BYTES) return false;
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== "EACCES";
  }
}

/** Secrets in a folder that is only read-only, such as `.devcontainer/.env`. */
function secretsBelow(folder: string, places: GuardedPlaces): readonly Guarded[] {
  return (entriesOf(folder) ?? []).flatMap((entry): readonly Guarded[] => {
    const one = guardedAt(join(folder, entry.name), entry, places);
    if (one?.type === "link" || one?.type === "protected") if (one.isSecret) return [one];
    return entry.isDirectory() ? secretsBelow(join(folder, entry.name), places) : [];
  });
}

/**
 * Links, sockets and pipes among git's own files. Git writes through links: when `COMMIT_EDITMSG` is one, the message of
 * the next commit replaces the file that it leads to, wherever that is. Names that cannot be written are left out.
 */
function oddFiles(
  within: readonly string[],
  { places, seen, steering }: OddFilesOptions,
): readonly Guarded[] {
  const odd: Guarded[] = [];
  const folders = [...within];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { guarded, inner } = seen ? seen.look(folder, places, lookIntoGit) : lookIntoGit(folder);
    odd.push(...guarded);
    folders.push(...inner.filter((path) => !steering.includes(path)));
  }
  return odd;
}

type OddFilesOptions = {
  readonly places: GuardedPlaces;
  readonly seen: SeenFolders | undefined;
  /** The folders that cannot be written. */
  readonly steering: readonly string[];
};

function lookIntoGit(folder: string): Folder {
  const guarded: Guarded[] = [];
  const inner: string[] = [];
  for (const entry of entriesOf(folder) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink())
      guarded.push({ type: "link", path, target: readlinkSync(path), isSecret: false, isOfGit: true });
    else if (entry.isSocket() || entry.isFIFO()) guarded.push({ type: "special", path });
    // Objects are never written twice.
    else if (entry.isDirectory() && !/^[\da-f]{2}$/.test(entry.name)) inner.push(path);
  }
  return { guarded, inner, passedOver: [] };
}

/** Git follows a link to its hooks or settings. */
const steeringLinks = (repositoryPath: string): readonly Guarded[] =>
  STEERING.flatMap((name): readonly Guarded[] => {
    const path = join(repositoryPath, name);
    const isLink = pathInfo(path)?.isSymbolicLink() === true;
    return isLink ? [{ type: "link", path, target: readlinkSync(path), isSecret: false }] : [];
  });

/** A path that a setting of git names, where it is there. */
function namedAt(path: string): Guarded | undefined {
  const info = pathInfo(path);
  if (!info) return undefined;
  return info.isSymbolicLink()
    ? { type: "link", path, target: readlinkSync(path), isSecret: false }
    : { type: "protected", path, isFolder: info.isDirectory(), isSecret: false };
}

/** The names in a repository change while the folder that it lies in does not. */
const again = ({ path, isBare }: Repository): Repository => repository(path, isBare);

/** A rule may name something among the dependencies. */
const isPassedOver = (path: string, name: string, { guards = [] }: GuardedPlaces): boolean =>
  PASSED_OVER.has(name) && !guards.some(({ pattern }) => touchesBelow(pattern, path));

function guardedAt(path: string, entry: Dirent, places: GuardedPlaces): Guarded | undefined {
  const isFolder = entry.isDirectory();
  const named = (places.guards ?? []).filter(({ pattern }) => touchesPath(pattern, path));
  const isHidden = named.some((guard) => guard.isHidden);
  if (named.length > 0 && entry.isSymbolicLink())
    return { type: "link", path, target: readlinkSync(path), isSecret: isHidden };
  if (named.length > 0) return { type: "protected", path, isFolder, isSecret: isHidden };
  if (entry.name === ".git" && isFolder) return repository(path, false);
  if (entry.isSocket() || entry.isFIFO()) return { type: "special", path };
  if (!mayBeProtected(entry.name) && !places.own.includes(path)) return undefined;
  if (isProtected(path, { ...places, access: "write" }) === undefined) return undefined;
  const isSecret = isProtected(path, { ...places, access: "read" }) !== undefined;
  if (entry.isSymbolicLink()) return { type: "link", path, target: readlinkSync(path), isSecret };
  return { type: "protected", path, isFolder, isSecret };
}

function worktreeOf({ path }: Guarded, places: GuardedPlaces): Worktree | undefined {
  const top = dirname(path);
  const { gitFolder, shared } = linkedWorktree(top, places) ?? {};
  if (gitFolder === undefined || shared === undefined) return undefined;
  return { type: "worktree", path: gitFolder, top, shared, steering: steeringIn(gitFolder) };
}

function repository(path: string, isBare: boolean): Repository {
  return { type: "repository", path, isBare, steering: steeringIn(path) };
}

function steeringIn(path: string): readonly string[] {
  const steering = STEERING.filter(
    (name) => existsSync(join(path, name)) && !(name === COMMON_FOLDER && isOurCommonFolder(path)),
  );
  return runsByRebase(path) ? [...steering, REBASE] : steering;
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
  COMMON_FOLDER,
  // Where a worktree lies.
  "gitdir",
];
const REBASE = "rebase-merge";

/** A rebase that was left half done may have programs among its steps. */
function runsByRebase(path: string): boolean {
  const file = join(path, REBASE, "git-rebase-todo");
  if (!pathInfo(file)) return false;
  const steps = fileText(file, { encoding: "latin1" });
  return steps === undefined || /^\s*(?:x|exec)\s/m.test(steps);
}

/** Undefined when nobody can say what is there. */
function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "") ? [] : undefined;
  }
}
