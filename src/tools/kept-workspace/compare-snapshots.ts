/** The changes from one snapshot of a workspace to a later one, by path. Contents are read afterwards. */
import { pathInfo } from "../path-info.js";
import type { LostFile } from "./object-files.js";
import { onDisk, usualModes, zeroEnded } from "./place-snapshot.js";
import type { PlaceSnapshot } from "./place-snapshot.js";
import type { ObjectFormat } from "../git/read-index.js";
import type { ShadowGit } from "./shadow-git.js";
import type { WorkspaceSnapshot } from "./snapshot-workspace.js";
import { earlierStateText, folderState, indexState, stateHere, treeFingerprint } from "./path-state.js";

/** The earlier state of a path; `object`: the name of its content in the shadow, `file`: a file that has it. */
export type Earlier =
  | { readonly type: "file"; readonly mode: number; readonly object: string }
  | { readonly type: "file"; readonly mode: number; readonly file: string }
  | { readonly type: "file"; readonly mode: number; readonly content: Uint8Array }
  | { readonly type: "link"; readonly object: string }
  | { readonly type: "folder"; readonly mode: number };

/** By absolute path, byte for byte as latin1. */
export type Compared = {
  readonly before: ReadonlyMap<string, Earlier>;
  readonly after: ReadonlyMap<string, string>;
  /** Changed, and not to be put back; with the reason. */
  readonly unkept: ReadonlyMap<string, string>;
};

const NO_OBJECT = /^0+$/;

export async function compareSnapshots(
  before: WorkspaceSnapshot,
  after: WorkspaceSnapshot,
  deadline: number,
): Promise<Compared> {
  const closed = closedFolders([...after.places.values()]);
  const comparing = new Comparing(after.git, { deadline, closed, format: formatOf(before) });
  for (const key of new Set([...before.places.keys(), ...after.places.keys()])) {
    const [earlier, later] = [before.places.get(key), after.places.get(key)];
    // A repository in a closed folder is still there.
    const isSeen = later !== undefined || !isClosed(latin(earlier?.place.workTree ?? ""), closed);
    if (isSeen) await comparing.places(earlier, later, after);
  }
  for (const { files, folders, broken } of after.lost) {
    const isSeen = ({ path }: { readonly path: string }) => !isClosed(latin(path), closed);
    for (const { path, mode } of folders.filter(isSeen)) comparing.lostFolder(path, mode);
    for (const file of files.filter(isSeen)) comparing.lostObject(file);
    for (const path of broken) comparing.left(path);
  }
  await comparing.folders([...before.places.values()], [...after.places.values()]);
  return comparing.result();
}

/** By the names of its trees. */
export function formatOf({ places }: WorkspaceSnapshot): ObjectFormat {
  const [first] = places.values();
  return first?.tree.length === 64 ? "sha256" : "sha1";
}

type ComparingOptions = {
  readonly deadline: number;
  readonly closed: readonly string[];
  readonly format: ObjectFormat;
};

class Comparing {
  readonly #git: ShadowGit;
  readonly #deadline: number;
  readonly #closed: readonly string[];
  readonly #format: ObjectFormat;
  readonly #before = new Map<string, Earlier>();
  readonly #after = new Map<string, string>();
  readonly #unkept = new Map<string, string>();
  /** Folders that are something else by now. */
  readonly #replaced: string[] = [];
  /** Folders that are not kept, and were not among those before; each with the reason. */
  readonly #newOpaque = new Map<string, string>();

  constructor(git: ShadowGit, { deadline, closed, format }: ComparingOptions) {
    this.#git = git;
    this.#deadline = deadline;
    this.#closed = closed;
    this.#format = format;
    for (const path of closed) this.#unkept.set(`${path}/`, CLOSED_REASON);
  }

  result(): Compared {
    return { before: this.#before, after: this.#after, unkept: this.#unkept };
  }

  async places(
    before: PlaceSnapshot | undefined,
    after: PlaceSnapshot | undefined,
    all: WorkspaceSnapshot,
  ): Promise<void> {
    if (before && after) return this.#changed(before, after);
    if (before) {
      const { workTree } = before.place;
      if (pathInfo(workTree)?.isDirectory() !== true) this.lostFolder(workTree, before.mode);
      return this.#changed(before, emptied(before));
    }
    if (!after) return;
    const absolute = absoluteIn(after);
    if (after.place.kind === "git") {
      // A new repository: all of its git folder is new, the objects too.
      this.#after.set(latin(after.place.workTree), treeFingerprint(after.place.workTree));
      return;
    }
    const around = await this.#trackedAround(after, all);
    await this.#changed(emptied(after), after, (path) => !around.has(absolute(path)));
  }

  /** The files of a new repository that the place around it has in its own index. */
  async #trackedAround(
    { place }: PlaceSnapshot,
    { places }: WorkspaceSnapshot,
  ): Promise<ReadonlySet<string>> {
    const tracked = new Set<string>();
    for (const outer of places.values()) {
      if (outer.place.kind !== "files" || !place.workTree.startsWith(`${outer.place.workTree}/`)) continue;
      const inner = place.workTree.slice(outer.place.workTree.length + 1);
      const listed = await this.#run("ls-tree", "-r", "-z", "--name-only", outer.tree, "--", `${inner}/`);
      for (const path of zeroEnded(listed)) tracked.add(absoluteIn(outer)(path));
    }
    return tracked;
  }

  async #changed(
    before: PlaceSnapshot,
    after: PlaceSnapshot,
    isMeant: (path: string) => boolean = () => true,
  ): Promise<void> {
    const absolute = absoluteIn(after);
    const seen = new Set<string>();
    if (before.tree !== after.tree)
      for (const change of rawChanges(
        await this.#run("diff-tree", "-r", "-z", "--no-renames", before.tree, after.tree),
      )) {
        const { path } = change;
        seen.add(path);
        if (!isMeant(path)) continue;
        const opaque = opaqueAround(before, path);
        if (opaque !== undefined && NO_OBJECT.test(change.oldObject)) {
          this.#unkept.set(absolute(path), opaque);
          continue;
        }
        const earlier = entryOf(change.oldMode, change.oldObject, before, path);
        if (earlier) this.#before.set(absolute(path), earlier);
        const later = entryOf(change.newMode, change.newObject, after, path);
        if (later) this.#after.set(absolute(path), entryState(later));
        if (isIndex(after, path)) await this.#index(absolute(path), change);
      }
    await this.#permissions(before, after, seen);
    this.#ownFolder(before, after);
    this.#gitFile(before, after);
    this.#opaque(before, after);
  }

  #ownFolder({ place, mode }: PlaceSnapshot, after: PlaceSnapshot): void {
    if (mode === after.mode) return;
    this.#before.set(latin(place.workTree), { type: "folder", mode });
    this.#after.set(latin(place.workTree), folderState(after.mode));
  }

  #gitFile(before: PlaceSnapshot, after: PlaceSnapshot): void {
    const path = absoluteIn(after)(".git");
    const format = after.tree.length === 64 ? "sha256" : "sha1";
    const stateFor = ({ gitFile }: PlaceSnapshot): string | undefined =>
      gitFile && earlierStateText({ type: "file", ...gitFile }, { format, like: undefined });
    const [earlier, later] = [stateFor(before), stateFor(after)];
    if (earlier === later) return;
    if (before.gitFile) this.#before.set(path, { type: "file", ...before.gitFile });
    if (later !== undefined) this.#after.set(path, later);
  }

  /** The entries of the user's index count, and not how git has stored them. */
  async #index(path: string, { oldObject, newObject }: RawChange): Promise<void> {
    const format = newObject.length === 64 ? "sha256" : "sha1";
    const stateFor = async (object: string, mode: number): Promise<string | undefined> =>
      NO_OBJECT.test(object)
        ? undefined
        : indexState(await this.#run("cat-file", "blob", object), format, mode);
    const earlier = this.#before.get(path);
    const later = await stateFor(newObject, modeIn(this.#after.get(path)));
    if (later === undefined) return;
    const same = earlier?.type === "file" && later === (await stateFor(oldObject, earlier.mode));
    if (!same) this.#after.set(path, later);
    else {
      this.#before.delete(path);
      this.#after.delete(path);
    }
  }

  /** Files with the same content and other permission bits. */
  async #permissions(before: PlaceSnapshot, after: PlaceSnapshot, seen: ReadonlySet<string>): Promise<void> {
    const paths = [...new Set([...before.modes.keys(), ...after.modes.keys()])].filter(
      (path) => !seen.has(path) && before.modes.get(path) !== after.modes.get(path),
    );
    if (paths.length === 0) return;
    const absolute = absoluteIn(after);
    const wanted = new Set(paths);
    const listed = zeroEnded(await this.#run("ls-tree", "-r", "-z", after.tree));
    for (const line of listed) {
      const [, mode = "", object = "", path = ""] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
      if (!wanted.has(path)) continue;
      const [earlier, later] = [entryOf(mode, object, before, path), entryOf(mode, object, after, path)];
      if (!earlier || !later || entryState(earlier) === entryState(later)) continue;
      this.#before.set(absolute(path), earlier);
      this.#after.set(absolute(path), entryState(later));
    }
  }

  /** Empty folders, folders with other permission bits, and folders that were made. Last, when all files are compared. */
  async folders(before: readonly PlaceSnapshot[], after: readonly PlaceSnapshot[]): Promise<void> {
    const [earlier, later] = [foldersOf(before), foldersOf(after)];
    for (const [path, mode] of earlier) {
      if (this.#closed.some((folder) => path.startsWith(`${folder}/`))) continue;
      const bytes = Buffer.from(path, "latin1");
      const info = this.#isBeyond(bytes.toString()) ? undefined : pathInfo(bytes);
      const now = info?.isDirectory() ? info.mode & 0o7777 : undefined;
      if (now === mode) continue;
      this.#before.set(path, { type: "folder", mode });
      if (now !== undefined) this.#after.set(path, folderState(now));
    }
    const added = [...later].filter(([path]) => !earlier.has(path));
    const made = this.#foldersAbove(after, [...added.map(([path]) => path), ...this.#newOpaque.keys()]);
    if (made.size + added.length + this.#newOpaque.size === 0) return;
    const known = await this.#knownFolders(before);
    for (const [path, reason] of this.#newOpaque) {
      // A new pattern hides a folder that was there.
      if (known.has(path)) this.#unkept.set(path, reason);
      else this.#after.set(path, treeFingerprint(Buffer.from(path, "latin1").toString()));
    }
    const usual = usualModes(before[0]?.umask ?? 0).folder;
    for (const [path, mode] of added) {
      if (!known.has(path)) made.add(path);
      else if (mode !== usual) {
        this.#before.set(path, { type: "folder", mode: usual });
        this.#after.set(path, folderState(mode));
      }
    }
    for (const path of made)
      if (!known.has(path) && !this.#after.has(path)) this.#after.set(path, CREATED_FOLDER);
  }

  async #knownFolders(before: readonly PlaceSnapshot[]): Promise<ReadonlySet<string>> {
    const known = new Set(foldersOf(before).keys());
    for (const snapshot of before) {
      const absolute = absoluteIn(snapshot);
      known.add(latin(snapshot.place.workTree));
      const listed = await this.#run("ls-tree", "-r", "-d", "-z", "--name-only", snapshot.tree);
      for (const path of [...zeroEnded(listed), ...snapshot.opaque.keys()]) known.add(absolute(path));
    }
    for (const path of known)
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
        known.add(path.slice(0, at));
    return known;
  }

  /** The folders above new files and added folders, up to the workspace. */
  #foldersAbove([top]: readonly PlaceSnapshot[], added: readonly string[]): Set<string> {
    const start = `${latin(top?.place.workTree ?? "")}/`;
    const folders = new Set<string>();
    for (const path of [...this.#after.keys(), ...added]) {
      if (!path.startsWith(start) || this.#before.has(path)) continue;
      for (let at = path.lastIndexOf("/"); at > start.length; at = path.lastIndexOf("/", at - 1))
        folders.add(path.slice(0, at));
    }
    return folders;
  }

  #opaque(before: PlaceSnapshot, after: PlaceSnapshot): void {
    const absolute = absoluteIn(after);
    for (const [path, { reason, stamp }] of before.opaque) {
      const now = after.opaque.get(path);
      const isThere = now ?? pathInfo(onDisk(after.place, path));
      if (!isThere || (now && now.stamp !== stamp)) this.#unkept.set(absolute(path), reason);
    }
    for (const [path, { reason, stamp }] of after.opaque) {
      if (before.opaque.has(path) || opaqueAround(before, path) !== undefined) continue;
      // A file that was kept and is too large now: `before` has it.
      if (stamp === undefined) this.#newOpaque.set(absolute(path), reason);
      else this.#after.set(absolute(path), `stamp ${stamp}`);
    }
  }

  lostFolder(path: string, mode: number): void {
    this.#before.set(latin(path), { type: "folder", mode });
    this.left(path);
  }

  lostObject({ path, copy, mode, reason = TOO_MANY_OBJECTS }: LostFile): void {
    const info = copy === undefined ? undefined : pathInfo(copy);
    if (copy === undefined || info?.isFile() !== true) return void this.#unkept.set(latin(path), reason);
    this.#before.set(latin(path), { type: "file", mode: mode ?? info.mode & 0o7777, file: copy });
    this.left(path);
  }

  left(path: string): void {
    // Nothing is below what is no folder any more, wherever it leads.
    if (this.#isBeyond(path)) return;
    const state = stateHere(path, this.#format);
    if (state === undefined) return;
    this.#after.set(latin(path), state);
    if (this.#before.get(latin(path))?.type === "folder" && !state.startsWith("folder "))
      this.#replaced.push(path);
  }

  #isBeyond(path: string): boolean {
    return this.#replaced.some((folder) => path.startsWith(`${folder}/`));
  }

  #run(...args: string[]): Promise<Buffer> {
    return this.#git.run(args, { deadline: this.#deadline });
  }
}

const TOO_MANY_OBJECTS = "the repository has too many objects to keep them";
const OWNER_MAY_LOOK = 0o500;
const CLOSED_REASON = "its owner may not look into it, so what the command changed in it is not known";

/** Folders that we cannot look into: root can look into all. Their own permission bits are known, and nothing below them. */
function closedFolders(snapshots: readonly PlaceSnapshot[]): readonly string[] {
  if (process.getuid?.() === 0) return [];
  return [...foldersOf(snapshots)].flatMap(([path, mode]) =>
    (mode & OWNER_MAY_LOOK) === OWNER_MAY_LOOK ? [] : [path],
  );
}

const isClosed = (path: string, closed: readonly string[]): boolean =>
  closed.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** The state of a folder that the command made: it goes when nothing is left in it. */
export const CREATED_FOLDER = "new folder";

const latin = (path: string): string => Buffer.from(path).toString("latin1");

const absoluteIn =
  ({ place }: PlaceSnapshot) =>
  (path: string): string =>
    `${latin(place.workTree)}/${path}`;

const foldersOf = (snapshots: readonly PlaceSnapshot[]): Map<string, number> =>
  new Map(
    snapshots.flatMap((snapshot) =>
      [...snapshot.folders].map(([path, mode]) => [absoluteIn(snapshot)(path), mode]),
    ),
  );

/** The reason why a path was not kept, or a folder above it. */
function opaqueAround({ opaque }: PlaceSnapshot, path: string): string | undefined {
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) {
    const found = opaque.get(path.slice(0, at));
    if (found) return found.reason;
  }
  return undefined;
}

const isIndex = ({ place }: PlaceSnapshot, path: string): boolean =>
  place.kind === "git" && /(?:^|\/)index$/.test(path);

/** The permission bits in a state as `entryState` writes it. */
const modeIn = (state: string | undefined): number => Number.parseInt(state?.split(" ")[2] ?? "0", 8);

/** The same place with nothing in it. */
function emptied(snapshot: PlaceSnapshot): PlaceSnapshot {
  const tree = snapshot.tree.length === 40 ? EMPTY_TREES.sha1 : EMPTY_TREES.sha256;
  const { gitFile: _, ...rest } = snapshot;
  return { ...rest, tree, modes: new Map(), folders: new Map(), opaque: new Map() };
}

/** Every repository knows these. */
const EMPTY_TREES = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

type RawChange = {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldObject: string;
  readonly newObject: string;
};

function rawChanges(output: Buffer): readonly RawChange[] {
  const parts = zeroEnded(output);
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = "", newMode = "", oldObject = "", newObject = ""] = (parts[at] ?? "")
      .slice(1)
      .split(" ");
    changes.push({ path: parts[at + 1] ?? "", oldMode, newMode, oldObject, newObject });
  }
  return changes;
}

function entryOf(
  mode: string,
  object: string,
  { modes, umask }: PlaceSnapshot,
  path: string,
): (Earlier & { readonly object: string }) | undefined {
  if (NO_OBJECT.test(object)) return undefined;
  if (mode === "120000") return { type: "link", object };
  const usual = usualModes(umask);
  return { type: "file", mode: modes.get(path) ?? (mode === "100755" ? usual.program : usual.file), object };
}

const entryState = (entry: Earlier & { readonly object: string }): string =>
  entry.type === "file" ? `file ${entry.object} ${entry.mode.toString(8)}` : `link ${entry.object}`;
