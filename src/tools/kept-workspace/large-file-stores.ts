/**
 * The stores of git-lfs and git-annex in a git folder, often with the only copy of a file until it is pushed. Their files
 * are named by their content and never change, so each gets a second name (hard link) in the shadow, which costs nothing;
 * on another disk it is copied. A command that deletes one takes only the first name. One that writes into it changes both:
 * that shows by the hash in the name, and then the file is named as lost.
 */
import { createHash } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorCode } from "../../call/error-code.js";
import { pathInfo, SETTLED_MS } from "../path-info.js";
import type { AddOptions, LostFile, LostFolder, LostObjects } from "./object-files.js";
import { copyThere, OWNER_MAY_ALL } from "./object-files.js";

const STORES = ["lfs", "annex"];
const OBJECTS = "objects";
const MAX_ENTRIES = 4_096;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const CLOCK_SLACK_MS = 1_000;

type StoredFile = { readonly size: number; readonly mode: number; readonly modifiedMs: number };

type StoredFolder = {
  readonly mode: number;
  readonly changedMs: number;
  readonly files: ReadonlyMap<string, StoredFile>;
  readonly folders: readonly string[];
};

export type StoredFiles = {
  /** By path in the git folder; each before those in it. */
  readonly folders: ReadonlyMap<string, StoredFolder>;
  readonly hasTooMany: boolean;
  readonly sinceMs: number;
};

/** `known`: an earlier list, whose unchanged folders are not read again. */
export function listStored(gitFolder: string, known?: StoredFiles): StoredFiles {
  const sinceMs = Date.now();
  const folders = new Map<string, StoredFolder>();
  const paths = [...STORES];
  let count = 0;
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const info = pathInfo(join(gitFolder, path));
    if (!info?.isDirectory()) continue;
    const before = known?.folders.get(path);
    const [mode, changedMs] = [info.mode & 0o7777, info.ctimeMs];
    // A command can set every time of a folder but this one.
    const isSame = before?.changedMs === changedMs && changedMs < (known?.sinceMs ?? 0) - SETTLED_MS;
    const folder = isSame ? before : { mode, changedMs, ...entriesOf(gitFolder, path) };
    folders.set(path, folder);
    count += 1 + folder.files.size;
    if (count > MAX_ENTRIES) return { folders, sinceMs, hasTooMany: true };
    paths.push(...folder.folders.map((name) => `${path}/${name}`));
  }
  return { folders, sinceMs, hasTooMany: false };
}

/** Beside the objects lie files that git-lfs and git-annex make again. */
function entriesOf(gitFolder: string, path: string): Pick<StoredFolder, "files" | "folders"> {
  const isStore = STORES.includes(path);
  const files = new Map<string, StoredFile>();
  const folders: string[] = [];
  for (const entry of listed(join(gitFolder, path))) {
    if (isStore && entry.name !== OBJECTS) continue;
    if (entry.isDirectory()) folders.push(entry.name);
    const info = entry.isFile() && !isStore ? pathInfo(join(gitFolder, path, entry.name)) : undefined;
    if (info) files.set(entry.name, { size: info.size, mode: info.mode & 0o7777, modifiedMs: info.mtimeMs });
  }
  return { files, folders };
}

/** Second names of the files of all stores, in one shadow. To be used with its lock. */
export class StoredCopies {
  readonly #folder: string;
  /** The times that files got with their second names. */
  readonly #linkedMs = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(
    gitFolder: string,
    stored: StoredFiles,
    { known, mustGoOn }: AddOptions<StoredFiles>,
  ): Promise<void> {
    const isSame = [...stored.folders].every(([path, folder]) => known?.folders.get(path) === folder);
    if (stored.hasTooMany || (isSame && known?.folders.size === stored.folders.size)) return;
    const [place, wanted] = [this.#place(gitFolder), new Set<string>()];
    if (stored.folders.size > 0) mkdirSync(place, { recursive: true });
    let bytes = 0;
    for (const [path, { size }] of filesOf(stored)) {
      mustGoOn();
      bytes += size <= MAX_FILE_BYTES ? size : 0;
      if (size > MAX_FILE_BYTES || bytes > MAX_BYTES) continue;
      wanted.add(nameOf(path));
      await this.#put(join(gitFolder, path), join(place, nameOf(path)));
    }
    // A second name would hold the place on the disk of a file that its owner has deleted.
    for (const { name } of listed(place)) if (!wanted.has(name)) rmSync(join(place, name), { force: true });
  }

  async #put(from: string, to: string): Promise<void> {
    const [info, copy] = [pathInfo(from), pathInfo(to)];
    if (!info?.isFile() || info.ino === copy?.ino) return;
    // A copy on another disk is compared by its time alone.
    if (copy && copy.dev !== info.dev && info.ctimeMs < copy.ctimeMs - CLOCK_SLACK_MS) return;
    rmSync(to, { force: true });
    try {
      linkSync(from, to);
      this.#linkedMs.set(from, pathInfo(from)?.ctimeMs ?? 0);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return;
      await copyThere(from, to);
    }
  }

  /** Compares with what is there now. */
  async lost(gitFolder: string, stored: StoredFiles): Promise<LostObjects> {
    const [files, folders]: [LostFile[], LostFolder[]] = [[], []];
    const isThere = (path: string): boolean => isFolder(join(gitFolder, path), gitFolder);
    for (const [path, { mode, files: names }] of stored.folders) {
      const full = join(gitFolder, path);
      const now = isThere(path) ? (pathInfo(full)?.mode ?? 0) & 0o7777 : undefined;
      if (now !== mode) folders.push({ path: full, mode });
      // Else nobody could see what is in it.
      if (now !== undefined && now !== mode && (now & OWNER_MAY_ALL) !== OWNER_MAY_ALL) chmodSync(full, mode);
      if (stored.hasTooMany) {
        if (now === undefined) files.push({ path: full, reason: TOO_MANY });
        continue;
      }
      for (const [name, before] of names) {
        const file = join(full, name);
        if (now !== undefined && (await this.#isAsBefore(file, before, stored.sinceMs))) continue;
        files.push({ path: file, ...(await this.#found(gitFolder, `${path}/${name}`, before)) });
      }
    }
    return { files, folders, broken: [] };
  }

  async #isAsBefore(file: string, before: StoredFile, sinceMs: number): Promise<boolean> {
    const info = pathInfo(file);
    if (info?.isFile() !== true || (info.mode & 0o7777) !== before.mode) return false;
    // Writing and moving a file set this time, and no command can.
    if (info.ctimeMs < sinceMs - CLOCK_SLACK_MS || info.ctimeMs === this.#linkedMs.get(file)) return true;
    return isWhole(file, before);
  }

  async #found(
    gitFolder: string,
    path: string,
    before: StoredFile,
  ): Promise<{ readonly copy: string; readonly mode: number } | { readonly reason: string }> {
    if (before.size > MAX_FILE_BYTES) return { reason: "it is larger than 64 MB" };
    const copy = join(this.#place(gitFolder), nameOf(path));
    const info = pathInfo(copy);
    if (!info) return { reason: "the files of git-lfs and git-annex have more than 256 MB in all" };
    const { mode } = before;
    // A command that closed the first name closed this one too.
    if ((info.mode & 0o7777) !== mode) chmodSync(copy, mode);
    const isOwnFile = info.dev !== pathInfo(gitFolder)?.dev;
    return isOwnFile || (await isWhole(copy, before, path))
      ? { copy, mode }
      : { reason: "the command wrote into it" };
  }

  #place(gitFolder: string): string {
    return join(this.#folder, createHash("sha256").update(gitFolder).digest("hex").slice(0, 24));
  }
}

const TOO_MANY = `the files of git-lfs and git-annex are more than ${MAX_ENTRIES}`;

const nameOf = (path: string): string => createHash("sha256").update(path).digest("hex");

function* filesOf({ folders }: StoredFiles): Generator<readonly [path: string, file: StoredFile]> {
  for (const [path, { files }] of folders) for (const [name, file] of files) yield [`${path}/${name}`, file];
}

/** The hash is the whole name of git-lfs, and in that of git-annex the part behind the size. */
const HASH = /^(?:SHA256E?-.*--)?([\da-f]{64})(?:\..*)?$/;

/** Whether the content is that of the name. Where the name does not say it, only the time of the content is left. */
async function isWhole(file: string, { size, modifiedMs }: StoredFile, name = file): Promise<boolean> {
  const hash = HASH.exec(basename(name))?.[1];
  const info = pathInfo(file);
  if (!info?.isFile() || info.size !== size) return false;
  if (hash === undefined || size > MAX_FILE_BYTES) return info.mtimeMs === modifiedMs;
  const content = await readFile(file).catch(() => undefined);
  return content !== undefined && createHash("sha256").update(content).digest("hex") === hash;
}

/** The folder itself, and not another one by a link. */
function isFolder(path: string, within: string): boolean {
  if (pathInfo(path)?.isDirectory() !== true) return false;
  try {
    return realpathSync(path) === path && realpathSync(within) === within;
  } catch {
    return false;
  }
}

function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
