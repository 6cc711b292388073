/**
 * The state of one folder of a workspace: its files, the repositories in it with their files, and the git folders of
 * them all. To be called with the lock of the shadow.
 */
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathInfo } from "../path-info.js";
import { brokenPacks, hasNewAlternates } from "./broken-packs.js";
import { findFolders, oddGitFolders, reopenGitFolders } from "./find-folders.js";
import type { FoundFolders } from "./find-folders.js";
import { gitFingerprint } from "./git-fingerprint.js";
import type { Copies, KnownFolders } from "./known-folders.js";
import { listStored } from "./large-file-stores.js";
import type { StoredFiles } from "./large-file-stores.js";
import { listObjects } from "./object-files.js";
import type { LostObjects, ObjectNames } from "./object-files.js";
import { usualModes } from "./place-snapshot.js";
import type { KeptPlace, PlaceSnapshot } from "./place-snapshot.js";
import { readState, scanPlace } from "./scan-place.js";
import type { KeepLimits } from "./scan-place.js";
import { excludesOf, seedPlace } from "./seed-place.js";
import { KeepFailed, ShadowGit } from "./shadow-git.js";
import { objectFolders, repositoryAround, repositoryAt } from "./user-repository.js";
import type { UserRepository } from "./user-repository.js";
import { whyNotKept } from "./why-not-kept.js";

const MAX_REPOSITORIES = 50;
const MAX_GIT_FILE_BYTES = 65_536;

export type WorkspaceSnapshot = {
  readonly git: ShadowGit;
  /** By kind and folder; first the files of the workspace. */
  readonly places: ReadonlyMap<string, PlaceSnapshot>;
  /** The object files of the repositories, by their folder; of a snapshot before a command. */
  readonly objects: ReadonlyMap<string, ObjectNames>;
  /** The files of git-lfs and git-annex, by git folder; of a snapshot before a command. */
  readonly stored: ReadonlyMap<string, StoredFiles>;
  /** Object files of the snapshot before the command, and files of git-lfs and git-annex. */
  readonly lost: readonly LostObjects[];
};

export type SnapshotOptions = {
  readonly root: string;
  /** The folder of the shadow. */
  readonly folder: string;
  readonly limits: KeepLimits;
  readonly deadline: number;
  /** The folders that earlier snapshots of the same root have seen. */
  readonly known: KnownFolders;
  /** The snapshot before the command: its places are looked at also when they are no repositories any more. */
  readonly earlier?: WorkspaceSnapshot;
};

type Seed = { readonly repository: UserRepository; readonly prefix: string };

export async function snapshotWorkspace(options: SnapshotOptions): Promise<WorkspaceSnapshot> {
  const { root, folder, deadline, earlier } = options;
  for (const one of earlier?.places.values() ?? []) if (one.place.kind === "git") reopenGitFolders(one);
  const seed = repositoryAround(root);
  const format = seed?.repository.format ?? "sha1";
  const git = ShadowGit.open(join(folder, "repository"), format);
  if (!git) throw new KeepFailed("error", "git is not installed");
  const snapshotting = new Snapshotting(git, options);
  // First: git may need them.
  const lost = await snapshotting.lost();
  const place = snapshotting.place("files", root, excludesOf(seed));
  const isNew = !existsSync(place.index);
  const state = await readState(place);
  const found = findFolders({
    root,
    usual: usualModes(state.umask),
    opaque: state.opaque,
    withFiles: isNew,
    known: options.known,
    deadline,
  });
  // The scan waits for it. Should the scan fail first, the rejection must not be unhandled.
  found.catch(() => undefined);
  if (seed) snapshotting.borrow(seed.repository);
  if (isNew && seed) await seedPlace(git, place, seed, { format, deadline });
  const gitFolders = seed && !isAboveHome(seed) ? snapshotting.gitFolders(seed.repository) : undefined;
  gitFolders?.catch(() => undefined);
  const top = await snapshotting.scan(place, found);
  await gitFolders;
  for (const path of nestedIn(await found, top)) {
    const nested = repositoryAt(join(root, Buffer.from(path, "latin1").toString()));
    if (nested) await snapshotting.nested(nested);
  }
  for (const { place: known } of earlier?.places.values() ?? [])
    if (!snapshotting.places.has(keyOf(known)) && isOpen(known.workTree)) await snapshotting.scan(known);
  return {
    git,
    places: new Map([[keyOf(place), top], ...snapshotting.places]),
    objects: snapshotting.objects,
    stored: snapshotting.stored,
    lost,
  };
}

/** Whether the folder itself is there, and not one elsewhere by a link, and git can work in it. */
function isOpen(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return realpathSync(folder) === folder;
  } catch {
    return false;
  }
}

/** A repository of the whole home folder is not the workspace's. */
const isAboveHome = ({ repository, prefix }: Seed): boolean =>
  prefix !== "" && whyNotKept(repository.top) !== undefined;

/** Not those in folders that are not kept. */
function nestedIn({ repositories }: FoundFolders, top: PlaceSnapshot): readonly string[] {
  const opaque = [...top.opaque.keys()];
  const nested = repositories.filter(
    (path) => !opaque.some((one) => path === one || path.startsWith(`${one}/`)),
  );
  if (nested.length > MAX_REPOSITORIES)
    throw new KeepFailed("files", `it has more than ${MAX_REPOSITORIES} repositories inside`);
  return nested.toSorted();
}

class Snapshotting {
  readonly places = new Map<string, PlaceSnapshot>();
  readonly objects = new Map<string, ObjectNames>();
  readonly stored = new Map<string, StoredFiles>();
  readonly #git: ShadowGit;
  readonly #options: SnapshotOptions;
  readonly #copies: Copies;

  constructor(git: ShadowGit, options: SnapshotOptions) {
    this.#git = git;
    this.#options = options;
    this.#copies = options.known.copies(git.copies);
  }

  place(kind: KeptPlace["kind"], workTree: string, patterns: string): KeptPlace {
    const folder = join(this.#options.folder, "places");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const name = createHash("sha256").update(`${kind} ${workTree}`).digest("hex").slice(0, 24);
    const path = join(folder, name);
    writeFileSync(`${path}.excludes`, patterns, { mode: 0o600 });
    return { kind, workTree, index: `${path}.index`, state: `${path}.json`, excludes: `${path}.excludes` };
  }

  /** A path with a colon or a quote cannot be named in git's list. */
  borrow(repository: UserRepository): void {
    this.#git.borrow(objectFolders(repository).filter((folder) => !/[:"\n]/.test(folder)));
  }

  async scan(place: KeptPlace, odd?: FoundFolders | Promise<FoundFolders>): Promise<PlaceSnapshot> {
    const { limits, deadline, known, earlier } = this.#options;
    const scanned = await scanPlace({
      git: this.#git,
      place,
      limits,
      deadline,
      isAfter: earlier !== undefined,
      ...(odd && { odd }),
      ...(odd && place.kind === "files" && { known }),
    });
    const gitFile = place.kind === "files" ? gitFileIn(place.workTree) : undefined;
    const snapshot = { ...scanned, ...(gitFile && { gitFile }) };
    this.places.set(keyOf(place), snapshot);
    return snapshot;
  }

  async nested(repository: UserRepository): Promise<void> {
    const seed = { repository, prefix: "" };
    const place = this.place("files", repository.top, excludesOf(seed));
    const { format } = repository;
    this.borrow(repository);
    if (!existsSync(place.index))
      await seedPlace(this.#git, place, seed, { format, deadline: this.#options.deadline });
    await this.scan(place);
    await this.gitFolders(repository);
  }

  async gitFolders({ gitFolder, shared }: UserRepository): Promise<void> {
    for (const folder of new Set([gitFolder, shared, join(shared, "objects/info")])) {
      if (!isOpen(folder)) continue;
      const place = this.place("git", folder, "");
      if (!this.places.has(keyOf(place))) await this.#gitFolder(place);
    }
    const objects = join(shared, "objects");
    if (this.objects.has(objects)) return;
    const { known, deadline, earlier } = this.#options;
    // The copies are those of the state before the command.
    if (earlier) return;
    const before = known.objects(objects);
    const list = listObjects(objects, before);
    const mustGoOn = (): void => {
      if (Date.now() > deadline) throw new KeepFailed("time", "objects");
    };
    await this.#copies.objects.add(objects, list, { known: before, mustGoOn });
    known.rememberObjects(objects, list);
    this.objects.set(objects, list);
    const stored = listStored(shared, known.stored(shared));
    await this.#copies.stored.add(shared, stored, { known: known.stored(shared), mustGoOn });
    known.rememberStored(shared, stored);
    this.stored.set(shared, stored);
  }

  async lost(): Promise<readonly LostObjects[]> {
    const lost: LostObjects[] = [];
    const { deadline, earlier } = this.#options;
    let isMisled = false;
    for (const [objects, names] of earlier?.objects ?? []) {
      lost.push(await this.#copies.objects.lost(objects, names));
      const { broken, files } = await brokenPacks(this.#git, objects, { names, deadline });
      lost.push({ folders: [], broken, files });
      isMisled ||= broken.length + files.length > 0 || hasNewAlternates(objects, names);
    }
    if (isMisled)
      for (const names of earlier?.objects.values() ?? []) await this.#copies.objects.putLoose(names);
    for (const [gitFolder, stored] of this.#options.earlier?.stored ?? [])
      lost.push(await this.#copies.stored.lost(gitFolder, stored));
    return lost;
  }

  async #gitFolder(place: KeptPlace): Promise<void> {
    const { known } = this.#options;
    const fingerprint = gitFingerprint(place.workTree);
    const same = known.gitSnapshot(place, fingerprint);
    if (same) this.places.set(keyOf(place), same);
    else {
      const { umask } = await readState(place);
      const odd = oddGitFolders(place, usualModes(umask).folder);
      known.rememberGit(await this.scan(place, odd), fingerprint);
    }
  }
}

/** The file by which a further worktree or a submodule names its git folder: git keeps nothing of that name. */
function gitFileIn(folder: string): PlaceSnapshot["gitFile"] {
  const path = join(folder, ".git");
  const info = pathInfo(path);
  return info?.isFile() && info.size <= MAX_GIT_FILE_BYTES
    ? { content: readFileSync(path), mode: info.mode & 0o7777 }
    : undefined;
}

const keyOf = ({ kind, workTree }: KeptPlace): string => `${kind} ${workTree}`;
