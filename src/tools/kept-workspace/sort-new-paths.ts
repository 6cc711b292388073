/**
 * Sorts the paths that are not in the index: which are to be kept, which folders are empty, and which are there and not
 * kept. Ignored files are kept as long as they are small and few: `.env`, local settings. Ignored folders with more
 * (node_modules, build results) are opaque.
 */
import { readdirSync } from "node:fs";
import type { Stats } from "node:fs";
import { pathInfo } from "../path-info.js";
import type { KeptPlace, Opaque } from "./place-snapshot.js";
import { onDisk, zeroEnded, zeroEndedBytes } from "./place-snapshot.js";
import type { GitOptions, ShadowGit } from "./shadow-git.js";

const MAX_IGNORED_FILE_BYTES = 1024 * 1024;
const MAX_IGNORED_BYTES = 32 * 1024 * 1024;
const MAX_IGNORED_FILES = 2_000;
const MAX_IGNORED_IN_FOLDER = 200;

/**
 * Parts of a git folder whose content is named by its hash, belongs to another place, or is of no lasting use: also the
 * file that we put there while the next sandbox starts.
 */
const NOT_OF_GIT_FOLDER =
  /^(?:objects|modules|lfs|annex)\/|(?:^|\/)[^/]+\.lock$|^gc\.(?:pid|log)$|\.ipc$|^toolgate-[\da-f]{16}$/;

/** Whether a path in a git folder is kept; a folder ends with a slash. */
export const isOfGitFolder = (path: string): boolean => !NOT_OF_GIT_FOLDER.test(path);

export type NewPaths = {
  readonly files: readonly string[];
  readonly folders: ReadonlyMap<string, number>;
  readonly opaque: ReadonlyMap<string, Opaque>;
};

export type SortOptions = {
  readonly listed: readonly string[];
  /** Folders that are known to be ignored and large. */
  readonly opaque: ReadonlySet<string>;
  readonly deadline: number;
};

export async function sortNewPaths(
  git: ShadowGit,
  place: KeptPlace,
  { listed, opaque, deadline }: SortOptions,
): Promise<NewPaths> {
  const sorting = new Sorting(place);
  if (place.kind === "git") {
    for (const path of listed) if (isOfGitFolder(path)) sorting.takeAll(path);
    return sorting;
  }
  const options: GitOptions = { place, deadline };
  // Small files and empty folders are kept, ignored or not: git need not be asked about them.
  const unclear = listed.filter((path) => !sorting.takeKnown(path, opaque) && !sorting.takeSmall(path));
  const ignored = await ignoredOf(git, unclear, options);
  const folders: string[] = [];
  for (const path of unclear) {
    if (ignored.has(path)) sorting.takeIgnored(path);
    else if (path.endsWith("/")) folders.push(path);
    else sorting.files.push(path);
  }
  if (folders.length === 0) return sorting;
  const inside = ["--", ...folders.map((path) => Buffer.from(path, "latin1").toString())];
  const [files, ignoredInside] = await Promise.all([
    git.run(["ls-files", "-o", "--exclude-standard", "-z", ...inside], options),
    git.run(["ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z", ...inside], options),
  ]);
  for (const path of zeroEnded(files)) if (!path.endsWith("/")) sorting.files.push(path);
  const ignoredPaths = new Set(zeroEnded(ignoredInside));
  for (const path of ignoredPaths) sorting.takeIgnored(path);
  // Git lists no empty folder beside files.
  for (const path of folders) sorting.takeEmptyFolders(path, ignoredPaths);
  return sorting;
}

async function ignoredOf(
  git: ShadowGit,
  paths: readonly string[],
  options: GitOptions,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  // A name that begins with a colon would be read as a pattern.
  const stdin = zeroEndedBytes(paths.map((path) => `./${path}`));
  const output = await git.run(["check-ignore", "-z", "--stdin"], {
    ...options,
    stdin,
    mayFindNothing: true,
  });
  return new Set(zeroEnded(output).map((path) => path.slice(2)));
}

class Sorting implements NewPaths {
  readonly files: string[] = [];
  readonly folders = new Map<string, number>();
  readonly opaque = new Map<string, Opaque>();
  readonly #place: KeptPlace;
  #smallBytes = 0;
  #ignoredBytes = 0;
  #ignoredFiles = 0;

  constructor(place: KeptPlace) {
    this.#place = place;
  }

  /** True for a folder that is known, or belongs to another place. */
  takeKnown(path: string, opaque: ReadonlySet<string>): boolean {
    if (!path.endsWith("/")) return false;
    const isOpaque = opaque.has(path.slice(0, -1));
    if (isOpaque) this.opaque.set(path.slice(0, -1), { reason: LARGE_IGNORED });
    return isOpaque || this.#isNestedRepository(path);
  }

  takeSmall(path: string): boolean {
    if (path.endsWith("/")) return this.#takeIfEmpty(path) === "empty";
    const size = this.#look(path)?.size ?? 0;
    const isSmall = size <= MAX_IGNORED_FILE_BYTES && this.#smallBytes + size <= MAX_IGNORED_BYTES;
    if (!isSmall || this.files.length >= MAX_IGNORED_FILES) return false;
    this.#smallBytes += size;
    this.files.push(path);
    return true;
  }

  #isNestedRepository(folder: string): boolean {
    return pathInfo(onDisk(this.#place, `${folder}.git`)) !== undefined;
  }

  /** Notes the empty folders in a folder without files. A folder with files is left to git. */
  #takeIfEmpty(folder: string): "files" | "empty" {
    const found: [string, number][] = [];
    const folders = [folder.slice(0, -1)];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      const info = this.#look(at);
      if (!info) continue;
      const entries = this.#list(at);
      if (entries.some((entry) => !entry.isDirectory())) return "files";
      found.push([at, info.mode & 0o7777]);
      for (const entry of entries) folders.push(`${at}/${entry.name.toString("latin1")}`);
    }
    for (const [path, mode] of found) this.folders.set(path, mode);
    return "empty";
  }

  /** The empty folders below a folder, but for ignored folders and other repositories. */
  takeEmptyFolders(folder: string, ignoredPaths: ReadonlySet<string>): void {
    if (ignoredPaths.has(folder) || this.#isNestedRepository(folder)) return;
    const entries = this.#list(folder);
    const own = folder.slice(0, -1);
    const info = entries.length === 0 ? this.#look(own) : undefined;
    if (info?.isDirectory()) this.folders.set(own, info.mode & 0o7777);
    for (const entry of entries)
      if (entry.isDirectory())
        this.takeEmptyFolders(`${folder}${entry.name.toString("latin1")}/`, ignoredPaths);
  }

  /** Everything below a path, whatever its name. */
  takeAll(path: string): void {
    if (!path.endsWith("/")) {
      this.files.push(path);
      return;
    }
    const own = path.slice(0, -1);
    const info = this.#look(own);
    if (!info) return;
    const entries = this.#list(own);
    if (entries.length === 0) this.folders.set(own, info.mode & 0o7777);
    for (const entry of entries)
      this.takeAll(`${path}${entry.name.toString("latin1")}${entry.isDirectory() ? "/" : ""}`);
  }

  takeIgnored(path: string): void {
    if (path.endsWith("/")) this.#takeIgnoredFolder(path.slice(0, -1));
    else this.#takeIgnoredFile(path);
  }

  #takeIgnoredFile(path: string): void {
    const info = this.#look(path);
    if (!info) return;
    this.#ignoredBytes += info.size;
    this.#ignoredFiles += 1;
    const isSmall =
      info.size <= MAX_IGNORED_FILE_BYTES &&
      this.#ignoredBytes <= MAX_IGNORED_BYTES &&
      this.#ignoredFiles <= MAX_IGNORED_FILES;
    if (isSmall) this.files.push(path);
    else this.opaque.set(path, { reason: LARGE_IGNORED, stamp: stampOf(info) });
  }

  #takeIgnoredFolder(path: string): void {
    const files: string[] = [];
    const empty: [string, number][] = [];
    let bytes = 0;
    const folders = [path];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      const info = this.#look(at);
      if (!info) continue;
      const entries = this.#list(at);
      if (entries.length === 0) empty.push([at, info.mode & 0o7777]);
      for (const entry of entries) {
        const inner = `${at}/${entry.name.toString("latin1")}`;
        if (entry.isDirectory()) folders.push(inner);
        else files.push(inner);
        if (!entry.isDirectory()) bytes += this.#look(inner)?.size ?? 0;
        const isTooMuch =
          files.length + folders.length > MAX_IGNORED_IN_FOLDER ||
          this.#ignoredFiles + files.length > MAX_IGNORED_FILES ||
          this.#ignoredBytes + bytes > MAX_IGNORED_BYTES;
        if (isTooMuch || entry.name.toString("latin1") === ".git") {
          this.opaque.set(path, { reason: LARGE_IGNORED });
          return;
        }
      }
    }
    this.#ignoredBytes += bytes;
    this.#ignoredFiles += files.length;
    this.files.push(...files);
    for (const [folder, mode] of empty) this.folders.set(folder, mode);
  }

  #look(path: string): Stats | undefined {
    return pathInfo(onDisk(this.#place, path));
  }

  /** A folder that cannot be listed counts as empty: what is in it cannot be kept. */
  #list(path: string) {
    try {
      return readdirSync(onDisk(this.#place, path), { withFileTypes: true, encoding: "buffer" });
    } catch {
      return [];
    }
  }
}

const LARGE_IGNORED = "git ignores it, and it is too large to be kept";

export const stampOf = ({ size, mtimeMs, ctimeMs }: Stats): string => `${size} ${mtimeMs} ${ctimeMs}`;
