/**
 * Finds what a sandbox must guard in a workspace: names that are protected (`policy/paths/protected-names.ts`),
 * repositories of git, and things that are no plain files. Contents of dependency folders are passed over: nobody starts
 * programs in them by opening a folder, and they hold more entries than everything else together.
 */
import { accessSync, chmodSync, constants, type Dirent, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SETTLED_MS, linkTarget, pathInfo } from "../path-info.js";
import { errorCode } from "../../call/error-code.js";
import type { PathGuard } from "../../policy/index.js";
import { touchesBelow, touchesPath } from "../../policy/paths/match-path.js";
import { isProtected, mayBeProtected } from "../../policy/paths/protected-paths.js";
import { repositoryAround } from "../kept-workspace/user-repository.js";
import { closedContents, protectedFile } from "./closed-contents.js";
import { enteredFolders } from "./entered-folders.js";
import { folderEntries } from "./folder-entries.js";
import { endsInside, type LinkWay, linkWay } from "./link-way.js";
import { linkedWorktree, openFolders } from "./linked-worktree.js";
import { namedBySettings, settingsAt } from "./named-by-settings.js";
import { keepBudget, type SharedFile, sharedFile } from "./shared-file.js";
import { replacedPrograms } from "./replaced-programs.js";
import { sourcedFiles } from "./sourced-files.js";
import { STEERING, steeringIn, steeringLinks } from "./steering.js";

export type Guarded =
  /**
   * A protected name. `isSecret`: reading it is protected too. `isInside`: it lies in a folder that no command can write,
   * so that a person or another program made it, if it is new.
   */
  | {
      readonly type: "protected";
      readonly path: string;
      readonly isFolder: boolean;
      readonly isSecret: boolean;
      readonly isInside?: true;
      /** There where the file has further names. */
      readonly shared?: SharedFile;
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
      readonly isInside?: true;
      readonly way?: LinkWay;
    }
  /** The `.git` folder of a repository. */
  | Repository
  | Worktree
  /** A socket, a pipe or a device: everybody can make the one that stands for a deleted file in an overlay. */
  | { readonly type: "special"; readonly path: string }
  /**
   * A folder, a pipe, or a link among git's own files, whose name is no text, so that no path leads to it. `bytes`: the
   * name, in hexadecimal digits.
   */
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
    const linked =
      one.type === "protected" && basename(one.path) === ".git" ? worktreeOf(one, places) : undefined;
    if (linked) found.set(linked.path, linked);
    if (one.type !== "repository" && one.type !== "worktree") continue;
    const steering = STEERING.map((name) => join(one.path, name));
    const objects = join(one.type === "worktree" ? one.shared : one.path, "objects");
    for (const odd of oddFiles(one.type === "worktree" ? openFolders(one) : [one.path], {
      places,
      seen,
      steering,
      objects,
    }))
      found.set(odd.path, odd);
    for (const link of steeringLinks(one.path)) found.set(link.path, link);
    if (one.type === "repository" && one.isBare) continue;
    const top = one.type === "worktree" ? one.top : dirname(one.path);
    for (const folder of enteredFolders({ top, gitFolder: one.path }, dependencies))
      for (const inner of lookInto(folder, places).guarded) found.set(inner.path, inner);
  }
  // A shell sources an `.envrc` by itself, and with it the files that it names.
  const sourcing = [...found.keys()]
    .filter((path) => basename(path).startsWith(".envrc"))
    .map((file) => ({ file, named: sourcedFiles(file, places.roots) }));
  for (const path of [
    ...obeyedPaths(found, places),
    ...sourcing.flatMap(({ named }) => named),
    ...replacedPrograms(places.roots, sourcing),
  ]) {
    const named = found.has(path) ? undefined : namedAt(path);
    if (named) found.set(path, named);
  }
  addFromElsewhere(found, places);
  return found;
}

/**
 * Adds how each protected name could be changed from elsewhere: through links on the way, and through further names of
 * its files. Files can get these without any change of their folder, so they are never known from an earlier walk.
 */
function addFromElsewhere(found: Map<string, Guarded>, places: GuardedPlaces): void {
  const budget = keepBudget();
  const asNamed = (path: string, entry: Dirent) => guardedAt(path, entry, places);
  const add = (path: string, isOfGit = false): void => {
    for (const inner of closedContents(path, { guardedAt: asNamed, isOfGit, budget }))
      if (!found.has(inner.path)) found.set(inner.path, inner);
  };
  const addFile = (one: Extract<Guarded, { readonly type: "protected" }>): void => {
    const shared = sharedFile(one.path, budget);
    if (shared) found.set(one.path, { ...one, shared });
  };
  // Entries that are added on the way are visited too: a link may lead to a folder of links.
  for (const one of found.values()) {
    if (one.type === "protected" && one.isFolder && !one.isSecret) add(one.path);
    else if (one.type === "protected" && !one.isFolder && !one.shared) addFile(one);
    else if (one.type === "repository" || one.type === "worktree")
      for (const name of STEERING) {
        const path = join(one.path, name);
        const info = pathInfo(path);
        if (info?.isDirectory() === true) add(path, true);
        else if (info && info.nlink > 1) addFile({ ...protectedFile(path), isInside: true });
      }
    else if (one.type === "link" && !one.isOfGit && !one.way) {
      const way = linkWay(one.path, places.roots);
      found.set(one.path, { ...one, way });
      if (!endsInside(way) || found.has(way.end)) continue;
      const info = pathInfo(way.end);
      if (info?.isDirectory() === true) add(way.end);
      else addFile({ ...protectedFile(way.end), isSecret: one.isSecret, isInside: true });
    }
  }
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
  const entries = isReachable(folder) ? folderEntries(folder) : undefined;
  if (!entries) return places.roots.includes(folder) ? NOTHING : unreadable(folder);
  const { named, nameless } = entries;
  const names = new Set(named.map(({ name }) => name));
  const guarded: Guarded[] = BARE.every((name) => names.has(name)) ? [repository(folder, true)] : [];
  for (const entry of nameless)
    if (entry.isDirectory() || isSpecial(entry)) guarded.push(namelessAt(folder, entry));
  const inner: string[] = [];
  const passedOver: string[] = [];
  for (const entry of named) {
    const path = join(folder, entry.name);
    const one = guardedAt(path, entry, places);
    if (one) guarded.push(one);
    else if (entry.isDirectory()) (isPassedOver(path, entry.name, places) ? passedOver : inner).push(path);
  }
  return { guarded, inner, passedOver };
}

const NOTHING: Folder = { guarded: [], inner: [], passedOver: [] };

/** With half signs for the bytes that are no text: no other name can be equal. */
const namelessAt = (folder: string, { name }: Dirent<Buffer>): Guarded => ({
  type: "nameless",
  path: join(folder, name.toString("latin1").replaceAll(/[\x80-\xff]/g, asHalfSign)),
  bytes: name.toString("hex"),
});

const asHalfSign = (byte: string): string => String.fromCharCode(0xdc_00 + byte.charCodeAt(0));

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

/**
 * Links, sockets and pipes among git's own files. Git writes through links: when `COMMIT_EDITMSG` is one, the message of
 * the next commit replaces the file that it leads to, wherever that is. Names that cannot be written are left out.
 */
function oddFiles(
  within: readonly string[],
  { places, seen, steering, objects }: OddFilesOptions,
): readonly Guarded[] {
  // Objects are never written twice. A branch may have a name of two digits as well.
  const isOfObjects = (path: string): boolean =>
    /^[\da-f]{2}$/.test(basename(path)) &&
    [objects, join(dirname(objects), "lfs/objects")].includes(dirname(path));
  const odd: Guarded[] = [];
  const folders = [...within];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { guarded, inner } = seen ? seen.look(folder, places, lookIntoGit) : lookIntoGit(folder);
    odd.push(...guarded);
    folders.push(...inner.filter((path) => !steering.includes(path) && !isOfObjects(path)));
  }
  return odd;
}

type OddFilesOptions = {
  readonly places: GuardedPlaces;
  readonly seen: SeenFolders | undefined;
  /** The folders that cannot be written. */
  readonly steering: readonly string[];
  /** The folder of git's objects. */
  readonly objects: string;
};

function lookIntoGit(folder: string): Folder {
  const guarded: Guarded[] = [];
  const inner: string[] = [];
  reopen(folder);
  const { named = [], nameless = [] } = folderEntries(folder) ?? {};
  for (const entry of nameless) if (!entry.isFile()) guarded.push(namelessAt(folder, entry));
  for (const entry of named) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink())
      guarded.push({ type: "link", path, target: linkTarget(path), isSecret: false, isOfGit: true });
    else if (isSpecial(entry)) guarded.push({ type: "special", path });
    else if (entry.isDirectory()) inner.push(path);
  }
  return { guarded, inner, passedOver: [] };
}

const OWNER_MAY_LOOK = 0o500;

/** A command may have closed a folder of git, so that nobody sees what is in it until somebody opens it. */
function reopen(folder: string): void {
  const info = pathInfo(folder);
  if (info?.isDirectory() === true && (info.mode & OWNER_MAY_LOOK) !== OWNER_MAY_LOOK)
    chmodSync(folder, (info.mode & 0o7777) | OWNER_MAY_LOOK);
}

const isSpecial = (entry: Dirent | Dirent<Buffer>): boolean =>
  entry.isSocket() || entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice();

/** A path that a setting of git names, where it is there. */
function namedAt(path: string): Guarded | undefined {
  const info = pathInfo(path);
  if (!info) return undefined;
  return info.isSymbolicLink()
    ? { type: "link", path, target: linkTarget(path), isSecret: false }
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
    return { type: "link", path, target: linkTarget(path), isSecret: isHidden };
  if (named.length > 0) return { type: "protected", path, isFolder, isSecret: isHidden };
  if (entry.name === ".git" && isFolder) return repository(path, false);
  if (isSpecial(entry)) return { type: "special", path };
  if (!mayBeProtected(entry.name) && !places.own.includes(path)) return undefined;
  if (isProtected(path, { ...places, access: "write" }) === undefined) return undefined;
  const isSecret = isProtected(path, { ...places, access: "read" }) !== undefined;
  if (entry.isSymbolicLink()) return { type: "link", path, target: linkTarget(path), isSecret };
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
