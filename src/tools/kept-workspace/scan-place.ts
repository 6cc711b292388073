/**
 * Brings the index of a place up to date with the disk and returns the place's snapshot.
 *
 * Git looks for changed and for new files in two processes side by side; only these files are then read. Where nothing
 * changed, the tree of the last scan is the result.
 */
import { accessSync, closeSync, constants, openSync, readSync, rmSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { pathInfo } from "../path-info.js";
import type { FoundFolders } from "./find-folders.js";
import type { KnownFolders } from "./known-folders.js";
import type { KeptPlace, Opaque, PlaceSnapshot } from "./place-snapshot.js";
import { onDisk, usualModes, zeroEnded, zeroEndedBytes } from "./place-snapshot.js";
import { KeepFailed } from "./shadow-git.js";
import type { ShadowGit } from "./shadow-git.js";
import { sortNewPaths, stampOf } from "./sort-new-paths.js";

export type KeepLimits = {
  /** Files of a workspace. */
  readonly maxFiles: number;
  /** Bytes of changed and new files in one keep. */
  readonly maxBytes: number;
  readonly maxMs: number;
};

/** A larger file is not kept, unless the user's repository has it. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The state that the index does not hold, as it is stored beside it. */
export type PlaceState = {
  readonly tree?: string;
  /** The umask of the process that made the index. */
  readonly umask: number;
  readonly modes: { readonly [path: string]: number };
  /** The opaque folders of the last scan. */
  readonly opaque: readonly string[];
  /** The size of the patterns of ignored files at the last scan. */
  readonly excludesBytes?: number;
  /**
   * Files that had changed just before the last scan, each with its exact time. Git compares times in whole seconds, so
   * it sees neither other permission bits nor another content of the same length when both changes fall into one second.
   */
  readonly recent: { readonly [path: string]: number };
};

export type ScanOptions = {
  readonly git: ShadowGit;
  readonly place: KeptPlace;
  readonly limits: KeepLimits;
  /** The command has run: what it changed must be found in time, however much it is. */
  readonly isAfter?: boolean;
  readonly deadline: number;
  /** Folders with unusual permission bits, and files with them where the index is new; relative to the place. */
  readonly odd?: FoundFolders | Promise<FoundFolders>;
  /** The folders of the place, when an earlier scan has seen them. */
  readonly known?: KnownFolders;
};

export async function scanPlace(options: ScanOptions): Promise<PlaceSnapshot> {
  const { git, place, limits, deadline, isAfter = false } = options;
  const state = await readState(place);
  // We hold the lock of this shadow, so nobody works on the index: a lock file is a leftover of a killed process.
  rmSync(`${place.index}.lock`, { force: true });
  const run = (...args: string[]) => git.run(args, { place, deadline });
  const [differing, listed] = await Promise.all([
    run("diff-files", "--name-only", "-z", "--ignore-submodules=all"),
    listNew(options),
  ]);
  const files = zeroEnded(differing);
  const isReplaced = await removeReplaced(options, files, state);
  // Git lists nothing below a name that is a file or a link in the index.
  const listedNow = isReplaced ? zeroEnded(await run("ls-files", "-o", "--directory", "-z")) : listed;
  const paths = { differing: files, listed: listedNow };
  const sorted = await sortNewPaths(git, place, {
    listed: paths.listed,
    opaque: new Set(isIgnoringOtherwise(place, state, paths) ? [] : state.opaque),
    deadline,
  });
  const { oddFolders, oddFiles } = (await options.odd) ?? NOTHING_ODD;
  const opaque = new Map(sorted.opaque);
  const modes = new Map([...Object.entries(state.modes), ...oddFiles]);
  const usual = usualModes(state.umask);
  const recent = recentOf(place, state.recent);
  const changed = [...paths.differing, ...sorted.files, ...recent.differing];
  const update = updateOf(place, [...new Set(changed)], {
    usual,
    maxBytes: limits.maxBytes,
    isAfter,
    modes,
    opaque,
  });
  const hasChanges = update.put.length + update.absent.length + update.removed.length > 0;
  const folders = [...opaque].flatMap(([path, { stamp }]) => (stamp === undefined ? [path] : []));
  const next: PlaceState = {
    umask: state.umask,
    modes: Object.fromEntries(modes),
    opaque: folders,
    excludesBytes: statSync(place.excludes).size,
    recent: Object.fromEntries([...recent.still, ...update.recent].slice(-MAX_RECENT)),
  };
  // Before the index changes: a process that is killed in between must not leave a tree of an older index.
  if (hasChanges) await writeState(place, next);
  // Git would take an entry with the times of the disk as it is.
  const seenByGit = new Set(paths.differing);
  const removed = [...update.removed, ...recent.differing.filter((path) => !seenByGit.has(path))];
  if (removed.length > 0)
    await git.run(["update-index", "--force-remove", "-z", "--stdin"], {
      place,
      deadline,
      stdin: zeroEndedBytes(removed),
    });
  const put = [...update.absent, ...update.put];
  if (put.length > 0)
    await git.run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
      place,
      deadline,
      stdin: zeroEndedBytes(put),
    });
  if (entryCount(place) > limits.maxFiles)
    throw new KeepFailed("files", `there are more than ${limits.maxFiles} files`);
  const known = hasChanges ? undefined : state.tree;
  const tree = known ?? (await run("write-tree", "--missing-ok")).toString("latin1").trim();
  await writeState(place, { ...next, tree });
  options.known?.rememberListed(paths.listed, place.index);
  const allFolders = new Map([...sorted.folders, ...oddFolders]);
  const mode = (pathInfo(place.workTree)?.mode ?? 0) & 0o7777;
  return { place, tree, mode, umask: state.umask, modes, folders: allFolders, opaque };
}

const MAX_LISTED_FOLDERS = 100;

/** The paths that are not in the index. Only folders whose names may have changed are listed again. */
async function listNew({ git, place, deadline, odd, known }: ScanOptions): Promise<readonly string[]> {
  const list = async (...folders: readonly string[]): Promise<readonly string[]> =>
    zeroEnded(await git.run(["ls-files", "-o", "--directory", "-z", ...folders], { place, deadline }));
  const earlier = known?.listed(place.index);
  const found = earlier && (await odd);
  // Other repositories are places of their own.
  const isElsewhere = (path: string): boolean =>
    found?.repositories.some((repository) => path.startsWith(`${repository}/`)) === true;
  const changed = found?.changed?.filter((path) => !isElsewhere(path));
  if (!earlier || !changed || changed.includes("") || changed.length > MAX_LISTED_FOLDERS) return list();
  const names = changed.map((path) => Buffer.from(path, "latin1"));
  // A name that is no valid text cannot be passed to git.
  if (names.some((name) => !Buffer.from(name.toString()).equals(name))) return list();
  const isChanged = (path: string): boolean =>
    changed.some((folder) => `${folder}/` === path || path.startsWith(`${folder}/`));
  const now = changed.length === 0 ? [] : await list("--", ...names.map(String));
  return [...new Set([...earlier.filter((path) => !isChanged(path)), ...now])];
}

/** Removes the files and links from the index that are folders by now. False when there is none. */
async function removeReplaced(
  { git, place, deadline }: ScanOptions,
  differing: readonly string[],
  state: PlaceState,
): Promise<boolean> {
  const replaced = differing.filter((path) => pathInfo(onDisk(place, path))?.isDirectory());
  if (replaced.length === 0) return false;
  await writeState(place, withoutTree(state));
  const stdin = zeroEndedBytes(replaced);
  await git.run(["update-index", "--force-remove", "-z", "--stdin"], { place, deadline, stdin });
  return true;
}

const withoutTree = ({ umask, modes, opaque, excludesBytes, recent }: PlaceState): PlaceState => ({
  umask,
  modes,
  opaque,
  recent,
  ...(excludesBytes !== undefined && { excludesBytes }),
});

const isIgnoreFile = (path: string): boolean => /(?:^|\/)\.gitignore$/.test(path);

/** Whether a folder that was ignored may no longer be. */
function isIgnoringOtherwise(
  { excludes }: KeptPlace,
  { excludesBytes }: PlaceState,
  paths: { readonly differing: readonly string[]; readonly listed: readonly string[] },
): boolean {
  return (
    statSync(excludes).size !== excludesBytes || [...paths.differing, ...paths.listed].some(isIgnoreFile)
  );
}

const NOTHING_ODD = { oddFolders: new Map<string, number>(), oddFiles: new Map<string, number>() };

type UpdateOptions = {
  readonly usual: ReturnType<typeof usualModes>;
  readonly maxBytes: number;
  readonly isAfter: boolean;
  /** Brought up to date. */
  readonly modes: Map<string, number>;
  /** Gets what cannot be kept. */
  readonly opaque: Map<string, Opaque>;
};

/**
 * After a command no more is read, nor more than `maxBytes`: else it could keep us from finding its changes in time, by
 * files that cost it nothing. The undo needs only the times of the others: their earlier content is kept, or they are new.
 */
const MAX_READ_FILES = 20_000;

const SAME_SECOND_MS = 2_000;
const MAX_RECENT = 20_000;

/** Finds those of the files that have changed again, and those that could still change unseen. */
function recentOf(
  place: KeptPlace,
  recent: PlaceState["recent"],
): { readonly differing: readonly string[]; readonly still: readonly RecentFile[] } {
  const differing: string[] = [];
  const still: RecentFile[] = [];
  const sinceMs = Date.now() - SAME_SECOND_MS;
  for (const [path, changedMs] of Object.entries(recent)) {
    const info = pathInfo(onDisk(place, path));
    if (!info?.isFile()) continue;
    if (info.ctimeMs !== changedMs) differing.push(path);
    else if (info.ctimeMs > sinceMs) still.push([path, changedMs]);
  }
  return { differing, still };
}

type RecentFile = readonly [path: string, changedMs: number];

/** Undefined for the usual permission bits. */
function modeOf(info: Stats, usual: UpdateOptions["usual"]): number | undefined {
  const mode = info.mode & 0o7777;
  return mode === ((mode & 0o100) === 0 ? usual.file : usual.program) ? undefined : mode;
}

/** Returns the files that git must read again, those of them that have just changed, and those that must go. */
function updateOf(
  place: KeptPlace,
  paths: readonly string[],
  { usual, maxBytes, isAfter, modes, opaque }: UpdateOptions,
): {
  readonly put: readonly string[];
  /** Gone from the disk. */
  readonly absent: readonly string[];
  /** To be removed although something is there. */
  readonly removed: readonly string[];
  readonly recent: readonly RecentFile[];
} {
  const put: string[] = [];
  const absent: string[] = [];
  const recent: RecentFile[] = [];
  const sinceMs = Date.now() - SAME_SECOND_MS;
  const removed: string[] = [];
  const links = new LinkedFolders(place);
  let bytes = 0;
  for (const path of paths) {
    modes.delete(path);
    // Git takes no such name.
    if (/(?:^|\/)\.git(?:\/|$)/i.test(path)) continue;
    const isBeyond = links.isBeyond(path);
    const info = isBeyond ? undefined : pathInfo(onDisk(place, path));
    if (!info || info.isDirectory()) {
      (info || isBeyond ? removed : absent).push(path);
      continue;
    }
    const isTooMuch =
      isAfter && info.isFile() && (put.length >= MAX_READ_FILES || bytes + info.size > maxBytes);
    const trouble = info.isSymbolicLink()
      ? undefined
      : isTooMuch
        ? "the command changed too much"
        : troubleOf(place, path, info);
    if (trouble !== undefined) {
      removed.push(path);
      opaque.set(path, { reason: trouble, stamp: stampOf(info) });
      continue;
    }
    put.push(path);
    bytes += info.size;
    const mode = info.isFile() ? modeOf(info, usual) : undefined;
    if (mode !== undefined) modes.set(path, mode);
    if (info.ctimeMs > sinceMs) recent.push([path, info.ctimeMs]);
  }
  if (!isAfter && bytes > maxBytes)
    throw new KeepFailed(
      "bytes",
      `its changed and new files have more than ${Math.floor(maxBytes / 2 ** 20)} MB`,
    );
  return { put, absent, removed, recent };
}

/** The folders that are links by now: a file below one is another file, and git refuses it. */
class LinkedFolders {
  readonly #place: KeptPlace;
  readonly #known = new Map<string, boolean>();

  constructor(place: KeptPlace) {
    this.#place = place;
  }

  isBeyond(path: string): boolean {
    const slash = path.lastIndexOf("/");
    if (slash < 0) return false;
    const folder = path.slice(0, slash);
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const info = pathInfo(onDisk(this.#place, folder));
    const isLinked = info?.isSymbolicLink() === true || this.isBeyond(folder);
    this.#known.set(folder, isLinked);
    return isLinked;
  }
}

function troubleOf(
  place: KeptPlace,
  path: string,
  info: { isFile(): boolean; readonly size: number },
): string | undefined {
  if (!info.isFile()) return "it is no file, folder or link";
  if (info.size > MAX_FILE_BYTES) return "it is larger than 64 MB";
  try {
    accessSync(onDisk(place, path), constants.R_OK);
    return undefined;
  } catch {
    return "it cannot be read";
  }
}

/** From the head of the index. */
function entryCount({ index }: KeptPlace): number {
  const head = Buffer.alloc(12);
  try {
    const file = openSync(index, "r");
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
    return head.readUInt32BE(8);
  } catch {
    // No file was ever added.
    return 0;
  }
}

export async function readState({ state }: KeptPlace): Promise<PlaceState> {
  try {
    // Written by `writeState` alone, in a folder that only this user can enter.
    return JSON.parse(await readFile(state, "utf8")) as PlaceState;
  } catch {
    return { umask: process.umask(), modes: {}, opaque: [], recent: {} };
  }
}

export async function writeState({ state }: KeptPlace, value: PlaceState): Promise<void> {
  await writeFile(state, JSON.stringify(value), { mode: 0o600 });
}
