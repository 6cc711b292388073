/** Finds what git does not list: the git folders in a workspace, and folders and files with unusual permission bits. */
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { pathInfo } from "../path-info.js";
import { collectOutput } from "../../process/index.js";
import type { KnownFolders } from "./known-folders.js";
import { OWNER_MAY_ALL } from "./object-files.js";
import { onDisk, zeroEnded } from "./place-snapshot.js";
import type { KeptPlace, PlaceSnapshot, usualModes } from "./place-snapshot.js";
import { KeepFailed } from "./shadow-git.js";
import { isOfGitFolder } from "./sort-new-paths.js";

const PROGRAMS = ["/usr/bin/find", "/bin/find", "/run/current-system/sw/bin/find"];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Paths are relative to the root, byte for byte as latin1. */
export type FoundFolders = {
  /** Folders that hold a `.git`, but for the root itself. */
  readonly repositories: readonly string[];
  readonly oddFolders: ReadonlyMap<string, number>;
  /** Empty unless asked for. */
  readonly oddFiles: ReadonlyMap<string, number>;
  /** Folders whose names may have changed since the last look; absent when any may have. */
  readonly changed?: readonly string[];
};

export type FindOptions = {
  readonly root: string;
  readonly usual: ReturnType<typeof usualModes>;
  /** Folders that are not entered. */
  readonly opaque: readonly string[];
  readonly withFiles: boolean;
  readonly known: KnownFolders;
  readonly deadline: number;
};

export async function findFolders(options: FindOptions): Promise<FoundFolders> {
  const { root, usual, withFiles, known } = options;
  if (!withFiles && !known.isEmpty) {
    const { folders, repositories, changed } = known.walk(options);
    return { repositories, changed, oddFolders: oddOf(root, folders, usual.folder), oddFiles: new Map() };
  }
  const sinceMs = Date.now();
  const { repositories, folders, oddFiles } = sorted(root, await search(options));
  known.learn(options, { folders: [...folders.keys()], repositories }, sinceMs);
  return { repositories, oddFolders: oddOf(root, folders, usual.folder), oddFiles };
}

const SETGID = 0o2000;

/** A folder made below a set-group-id one gets that bit too, so the usual bits are not those of a new folder there. */
function oddOf(
  root: string,
  folders: ReadonlyMap<string, number>,
  usual: number,
): ReadonlyMap<string, number> {
  const own = pathInfo(root)?.mode ?? 0;
  const above = (path: string): number => {
    const slash = path.lastIndexOf("/");
    return slash < 0 ? own : (folders.get(path.slice(0, slash)) ?? 0);
  };
  return new Map([...folders].filter(([path, mode]) => mode !== usual || (above(path) & SETGID) !== 0));
}

async function search({ root, usual, opaque, withFiles, deadline }: FindOptions): Promise<readonly string[]> {
  const program = PROGRAMS.find((path) => existsSync(path));
  const timeoutMs = deadline - Date.now();
  if (program === undefined) return [];
  if (timeoutMs <= 0) throw new KeepFailed("time", "find");
  const pruned = opaque.flatMap((path) => ["-path", `./${escaped(path)}`, "-prune", "-o"]);
  const files = withFiles ? ["-o", "-type", "f", ...odd(usual.file, usual.program), "-print0"] : [];
  const expression = [...pruned, "-name", ".git", "-print0", "-prune", "-o", "-type", "d", "-print0"];
  const { stdout, exceeded } = await collectOutput([program, ".", ...expression, ...files], {
    cwd: root,
    env: { LC_ALL: "C" },
    timeoutMs,
    maxBytes: MAX_OUTPUT_BYTES,
  });
  if (exceeded !== undefined) throw new KeepFailed(exceeded, "find");
  return zeroEnded(stdout);
}

const odd = (...modes: readonly number[]): readonly string[] =>
  modes.flatMap((mode) => ["!", "-perm", mode.toString(8)]);

function sorted(
  root: string,
  lines: readonly string[],
): {
  readonly repositories: readonly string[];
  readonly folders: ReadonlyMap<string, number>;
  readonly oddFiles: ReadonlyMap<string, number>;
} {
  const repositories: string[] = [];
  const folders = new Map<string, number>();
  const oddFiles = new Map<string, number>();
  for (const line of lines) {
    const path = line.slice(2);
    if (path === "" || path === ".git") continue;
    if (path.endsWith("/.git")) {
      repositories.push(path.slice(0, -"/.git".length));
      continue;
    }
    const full = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
    const info = pathInfo(full);
    if (info?.isDirectory()) folders.set(path, info.mode & 0o7777);
    else if (info?.isFile()) oddFiles.set(path, info.mode & 0o7777);
  }
  return { repositories, folders, oddFiles };
}

/** The folders of a git folder, for a scan of it. */
export function oddGitFolders(place: KeptPlace, usual: number): FoundFolders {
  const oddFolders = oddOf(place.workTree, gitFoldersOf(place), usual);
  return { repositories: [], oddFolders, oddFiles: new Map() };
}

/** Gives their owner the rights back that a command took: nobody could see what else it did there. */
export function reopenGitFolders({ place, folders, mode: own }: PlaceSnapshot): void {
  const reopen = (path: string, mode: number): void => {
    if ((mode & OWNER_MAY_ALL) !== OWNER_MAY_ALL && (path === "" ? own : folders.get(path)) !== mode)
      chmodSync(onDisk(place, path), mode | OWNER_MAY_ALL);
  };
  const info = pathInfo(place.workTree);
  if (info?.isDirectory() !== true) return;
  reopen("", info.mode & 0o7777);
  gitFoldersOf(place, reopen);
}

/** With their permission bits. `take` is called before a folder is read. */
function gitFoldersOf(
  place: KeptPlace,
  take: (path: string, mode: number) => void = () => undefined,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const paths = [""];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    for (const name of foldersIn(onDisk(place, path))) {
      const inner = path === "" ? name : `${path}/${name}`;
      const info = isOfGitFolder(`${inner}/`) ? pathInfo(onDisk(place, inner)) : undefined;
      if (!info?.isDirectory()) continue;
      found.set(inner, info.mode & 0o7777);
      take(inner, info.mode & 0o7777);
      paths.push(inner);
    }
  }
  return found;
}

function foldersIn(folder: Buffer): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name.toString("latin1"));
  } catch {
    return [];
  }
}

/** As a pattern that matches the path alone. */
const escaped = (path: string): string =>
  Buffer.from(path, "latin1")
    .toString()
    .replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
