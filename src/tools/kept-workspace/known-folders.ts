/**
 * The folders of a workspace as an earlier look found them. A name that is made, removed or renamed in a folder changes
 * the folder's ctime, which no command can set: a folder with the same ctime has the same names, and is not read again.
 *
 * Invariant: a folder that changed shortly before it was read counts as changed at the next look, since another change
 * might not show in its time.
 */
import { readdirSync, statSync } from "node:fs";
import { SETTLED_MS, exactPathInfo } from "../path-info.js";
import type { StoredFiles } from "./large-file-stores.js";
import { StoredCopies } from "./large-file-stores.js";
import { ObjectCopies } from "./object-files.js";
import type { ObjectNames } from "./object-files.js";
import type { KeptPlace, PlaceSnapshot } from "./place-snapshot.js";

type KnownFolder = {
  /** Undefined when another change might not show. */
  readonly stamp: string | undefined;
  /** Names of the folders in it. */
  readonly inner: readonly string[];
  readonly isRepository: boolean;
};

type KnownGitFolder = {
  readonly fingerprint: string;
  readonly index: string;
  readonly snapshot: PlaceSnapshot;
};

export type Copies = { readonly objects: ObjectCopies; readonly stored: StoredCopies };

export type WalkOptions = {
  readonly root: string;
  /** Folders that are not entered. */
  readonly opaque: readonly string[];
};

/** Paths are relative to the root, byte for byte as latin1; the root itself is "". */
export type WalkedFolders = {
  /** With their permission bits. */
  readonly folders: ReadonlyMap<string, number>;
  readonly repositories: readonly string[];
  /** Folders whose names may have changed since the last look. */
  readonly changed: readonly string[];
};

export class KnownFolders {
  readonly #folders = new Map<string, KnownFolder>();
  readonly #gitFolders = new Map<string, KnownGitFolder>();
  readonly #objects = new Map<string, ObjectNames>();
  readonly #stored = new Map<string, StoredFiles>();
  #copies: (Copies & { readonly stamp: string }) | undefined;
  #listing: { readonly paths: readonly string[]; readonly index: string } | undefined;

  get isEmpty(): boolean {
    return this.#folders.size === 0;
  }

  /** `sinceMs`: when the search began that found these. */
  learn({ root }: WalkOptions, found: FoundNames, sinceMs: number): void {
    const repositories = new Set(found.repositories);
    const inner = new Map<string, string[]>(["", ...found.folders].map((path) => [path, []]));
    for (const path of found.folders) {
      const slash = path.lastIndexOf("/");
      inner.get(path.slice(0, Math.max(slash, 0)))?.push(path.slice(slash + 1));
    }
    this.#folders.clear();
    for (const [path, names] of inner) {
      const look = lookAt(root, path, sinceMs);
      const isRepository = repositories.has(path);
      if (look) this.#folders.set(path, { stamp: look.stamp, inner: names, isRepository });
    }
  }

  walk({ root, opaque }: WalkOptions): WalkedFolders {
    const closed = new Set(opaque);
    const folders = new Map<string, number>();
    const repositories: string[] = [];
    const changed: string[] = [];
    const paths = [""];
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const look = lookAt(root, path, Date.now());
      const known = this.#folders.get(path);
      if (!look) {
        this.#folders.delete(path);
        continue;
      }
      const isSame = known?.stamp !== undefined && known.stamp === look.stamp;
      const now = isSame ? known : readFolder(root, path, look.stamp);
      if (!isSame) {
        changed.push(path);
        this.#folders.set(path, now);
      }
      if (path !== "") folders.set(path, look.mode);
      if (path !== "" && now.isRepository) repositories.push(path);
      for (const name of now.inner) {
        const below = path === "" ? name : `${path}/${name}`;
        if (!closed.has(below)) paths.push(below);
      }
    }
    return { folders, repositories, changed };
  }

  /** The paths that git listed as not in the index, when the last scan was ours; `index`: the file of the index. */
  listed(index: string): readonly string[] | undefined {
    return this.#listing && this.#listing.index === fileStamp(index) ? this.#listing.paths : undefined;
  }

  /** To be called when the scan has written its index. */
  rememberListed(paths: readonly string[], index: string): void {
    this.#listing = { paths, index: fileStamp(index) };
  }

  /** The last snapshot of a git folder, when nothing in it changed since. */
  gitSnapshot({ workTree, index }: KeptPlace, fingerprint: string | undefined): PlaceSnapshot | undefined {
    const known = fingerprint === undefined ? undefined : this.#gitFolders.get(workTree);
    return known?.fingerprint === fingerprint && known?.index === fileStamp(index)
      ? known.snapshot
      : undefined;
  }

  rememberGit(snapshot: PlaceSnapshot, fingerprint: string | undefined): void {
    const { workTree, index } = snapshot.place;
    if (fingerprint === undefined) this.#gitFolders.delete(workTree);
    else this.#gitFolders.set(workTree, { fingerprint, index: fileStamp(index), snapshot });
  }

  /** The object files of a repository as they were last listed; all of them are among the copies. */
  objects(folder: string): ObjectNames | undefined {
    return this.#objects.get(folder);
  }

  rememberObjects(folder: string, names: ObjectNames): void {
    this.#objects.set(folder, names);
  }

  /** The files of git-lfs and git-annex as they were last listed; all of them have second names. */
  stored(gitFolder: string): StoredFiles | undefined {
    return this.#stored.get(gitFolder);
  }

  rememberStored(gitFolder: string, stored: StoredFiles): void {
    this.#stored.set(gitFolder, stored);
  }

  /** `folder`: in the shadow, which another process may have made again. */
  copies(folder: string): Copies {
    const info = statSync(folder);
    const stamp = `${folder} ${info.ino} ${info.birthtimeMs}`;
    if (this.#copies?.stamp !== stamp) {
      this.#objects.clear();
      this.#stored.clear();
      this.#copies = {
        stamp,
        objects: new ObjectCopies(folder),
        stored: new StoredCopies(`${folder}.stored`),
      };
    }
    return this.#copies;
  }

  forget(): void {
    this.#objects.clear();
    this.#stored.clear();
    this.#copies = undefined;
    this.#folders.clear();
    this.#gitFolders.clear();
    this.#listing = undefined;
  }
}

export type FoundNames = { readonly folders: readonly string[]; readonly repositories: readonly string[] };

function lookAt(
  root: string,
  path: string,
  nowMs: number,
): { readonly stamp: string | undefined; readonly mode: number } | undefined {
  const info = exactPathInfo(onDisk(root, path));
  if (!info?.isDirectory()) return undefined;
  const isSettled = nowMs - Number(info.ctimeMs) >= SETTLED_MS;
  return {
    stamp: isSettled ? `${info.ctimeNs} ${info.ino} ${info.dev}` : undefined,
    mode: Number(info.mode) & 0o7777,
  };
}

function readFolder(root: string, path: string, stamp: string | undefined): KnownFolder {
  try {
    const entries = readdirSync(onDisk(root, path), { withFileTypes: true, encoding: "buffer" });
    const isRepository = entries.some(({ name }) => name.equals(GIT));
    const inner = entries.flatMap((entry) =>
      entry.isDirectory() && !entry.name.equals(GIT) ? [entry.name.toString("latin1")] : [],
    );
    return { stamp, inner, isRepository };
  } catch {
    // A folder that cannot be read: nothing in it can be kept.
    return { stamp: undefined, inner: [], isRepository: false };
  }
}

const GIT = Buffer.from(".git");

const onDisk = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);

function fileStamp(path: string): string {
  const info = statSync(path, { throwIfNoEntry: false, bigint: true });
  return info ? `${info.mtimeNs} ${info.ctimeNs} ${info.ino} ${info.size}` : "absent";
}
