/**
 * The object files of the user's repository, kept so that a command takes nothing away: neither what we keep nor the
 * user's history. Git never changes an object file, so each is read once. Loose objects go one after another into one
 * file of ours, which is quicker than a file or a second name for each. Packs are copied, up to a size in all; larger
 * ones get second names (hard links) and are read-only in the sandbox. Too many loose objects are left alone; then only
 * their names are known.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inflateSync } from "node:zlib";
import { errorCode } from "../../call/error-code.js";
import { pathInfo, SETTLED_MS } from "../path-info.js";
import { namesIn } from "../names-in.js";

const MAX_LOOSE = 8_192;
const FAN_OUT = /^[0-9a-f]{2}$/;
const OBJECT_FILE = /^(?:[0-9a-f]{38}|[0-9a-f]{62}|pack-[0-9a-f]+\.(?:pack|idx|rev|bitmap|mtimes))$/;
/** Beside the packs, and not named by their content. */
const OTHER_FILE = /^(?:multi-pack-index(?:-[0-9a-f]+\.(?:bitmap|rev))?|pack-[0-9a-f]+\.(?:keep|promisor))$/;
const PACKS = "pack";
/** The files of packs that are copied, and in another file the loose objects, have at most so many bytes in all. */
export const MAX_COPIED_BYTES = 256 * 1024 * 1024;
/** Times of files may lag behind the clock by this much. */
const CLOCK_SLACK_MS = 1_000;
export const OWNER_MAY_ALL = 0o700;

type ObjectFolder = {
  readonly mode: number;
  readonly changedMs: number;
  readonly names: readonly string[];
};

export type ObjectNames = {
  /** By folder: `pack`, `00` … `ff`, and the folder of them all as "". */
  readonly folders: ReadonlyMap<string, ObjectFolder>;
  readonly sinceMs: number;
};

/** `known`: an earlier list, whose unchanged folders are not read again. */
export function listObjects(folder: string, known?: ObjectNames): ObjectNames {
  const sinceMs = Date.now();
  const folders = new Map<string, ObjectFolder>();
  for (const name of ["", ...namesIn(folder)]) {
    if (name !== "" && name !== PACKS && !FAN_OUT.test(name)) continue;
    const path = join(folder, name);
    const info = pathInfo(path);
    if (!info?.isDirectory()) continue;
    const [mode, changedMs] = [info.mode & 0o7777, info.ctimeMs];
    const before = known?.folders.get(name);
    // A command can set every time of a folder but this one.
    const isSame = before?.changedMs === changedMs && changedMs < (known?.sinceMs ?? 0) - SETTLED_MS;
    const read = () =>
      name === "" ? [] : namesIn(path).filter((one) => OBJECT_FILE.test(one) || OTHER_FILE.test(one));
    folders.set(name, isSame ? before : { mode, changedMs, names: read() });
  }
  return { folders, sinceMs };
}

/** The files of packs that are too large to be copied. */
export function uncopiedPacks(objects: string): readonly string[] {
  const files = namesIn(join(objects, PACKS))
    .filter((name) => OBJECT_FILE.test(name))
    .map((name) => ({ name, size: pathInfo(join(objects, PACKS, name))?.size ?? 0 }))
    .toSorted((one, other) => one.size - other.size);
  let bytes = 0;
  return files.filter(({ size }) => (bytes += size) > MAX_COPIED_BYTES).map(({ name }) => name);
}

/** `copy`: a file with the earlier content; none when it was not kept, with the reason unless there were too many. */
export type LostFile = {
  readonly path: string;
  readonly copy?: string;
  readonly reason?: string;
  /** Its permission bits, where the copy may have others. */
  readonly mode?: number;
};
export type LostFolder = { readonly path: string; readonly mode: number };

/** Object files and folders of them that a command took away or changed. Paths are absolute. */
export type LostObjects = {
  readonly files: readonly LostFile[];
  readonly folders: readonly LostFolder[];
  /** New files that have the name of an object and not its content: git would take them for it from now on. */
  readonly broken: readonly string[];
};

/** Our copies of object files, in one shadow. To be used with its lock. */
export class ObjectCopies {
  readonly #folder: string;
  readonly #loose: LooseCopies;

  /** `folder`: git looks there for objects, too. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#loose = new LooseCopies(`${folder}.loose`);
  }

  /** `known`: a list whose files are here already. */
  async add(
    objects: string,
    { folders }: ObjectNames,
    { known, mustGoOn }: AddOptions<ObjectNames>,
  ): Promise<void> {
    const added = [...folders].filter(([name, one]) => known?.folders.get(name) !== one);
    const loose = [...folders].reduce(
      (sum, [name, { names }]) => sum + (name === PACKS ? 0 : names.length),
      0,
    );
    const ids = added.flatMap(([name, { names }]) =>
      name === PACKS || loose > MAX_LOOSE ? [] : names.map((file) => `${name}/${file}`),
    );
    for (const id of this.#loose.add(objects, ids)) this.#link(objects, id);
    const isAdded = added.some(([name]) => name === PACKS);
    const uncopied = new Set(isAdded ? uncopiedPacks(objects) : []);
    for (const name of folders.get(PACKS)?.names ?? []) {
      mustGoOn();
      const id = `${PACKS}/${name}`;
      if (uncopied.has(name)) this.#link(objects, id);
      else if (OTHER_FILE.test(name) ? !this.#isCurrent(objects, id) : isAdded && !this.#has(id))
        await this.#put(id, (to) => copyThere(join(objects, id), to));
    }
  }

  #has(id: string): boolean {
    return pathInfo(join(this.#folder, id)) !== undefined;
  }

  /** Whether the copy of a file that may change was made after its last change. */
  #isCurrent(objects: string, id: string): boolean {
    const [info, copy] = [pathInfo(join(objects, id)), pathInfo(join(this.#folder, id))];
    return !info || (copy !== undefined && info.ctimeMs < copy.ctimeMs - CLOCK_SLACK_MS);
  }

  /** Compares with what is there now, and lets git find the earlier ones here. */
  async lost(objects: string, { folders, sinceMs }: ObjectNames): Promise<LostObjects> {
    this.#loose.read();
    const lost: { readonly files: LostFile[]; readonly folders: LostFolder[] } = { files: [], folders: [] };
    // And not another folder by a link.
    const isReal = existsSync(objects) && realpathSync(objects) === objects;
    for (const [name, { mode, changedMs, names }] of folders) {
      const path = join(objects, name);
      const info = pathInfo(path);
      const isThere = isReal && info?.isDirectory() === true;
      if (!isThere || (info.mode & 0o7777) !== mode) lost.folders.push({ path, mode });
      // Else nobody could see what is in it.
      if (isThere && (info.mode & OWNER_MAY_ALL) !== OWNER_MAY_ALL) chmodSync(path, mode);
      // No name was added or removed.
      const isSame = isThere && info?.ctimeMs === changedMs && changedMs < sinceMs - SETTLED_MS;
      const there = isSame ? undefined : new Set(isThere ? namesIn(path) : []);
      const copied = new Set(namesIn(join(this.#folder, name)));
      for (const file of names) {
        const id = `${name}/${file}`;
        // Where there is no copy, only the name can be compared.
        const hasCopy = copied.has(file) || this.#loose.has(id);
        if (there?.has(file) !== false && (!hasCopy || this.#isAsBefore(objects, id, sinceMs))) continue;
        const copy = await this.#copyOf(id);
        lost.files.push({ path: join(objects, id), ...(copy !== undefined && { copy }) });
      }
    }
    return { ...lost, broken: isReal ? brokenObjects(objects, { folders, sinceMs }) : [] };
  }

  /** Lets git find all loose ones here, where it cannot be led to others. */
  async putLoose({ folders }: ObjectNames): Promise<void> {
    this.#loose.read();
    for (const [name, { names }] of folders)
      if (FAN_OUT.test(name)) for (const file of names) await this.#copyOf(`${name}/${file}`);
  }

  #isAsBefore(objects: string, id: string, sinceMs: number): boolean {
    const isLoose = this.#loose.has(id);
    const copy = isLoose ? undefined : pathInfo(join(this.#folder, id));
    const path = join(objects, id);
    const info = pathInfo(path);
    if (info?.isFile() !== true) return false;
    // Writing and moving a file set this time, and no command can.
    if (info.ctimeMs < sinceMs - CLOCK_SLACK_MS || info.ino === copy?.ino) return true;
    if (!copy) return this.#loose.isSame(id, path);
    return info.mode === copy.mode && info.size === copy.size && isSameContent(path, join(this.#folder, id));
  }

  async #copyOf(id: string): Promise<string | undefined> {
    const path = join(this.#folder, id);
    if (this.#has(id)) return path;
    const found = this.#loose.find(id);
    return found && this.#put(id, (to) => writeFile(to, found.content, { mode: found.mode }));
  }

  /** A file appears whole or not at all. */
  async #put(id: string, write: (to: string) => Promise<void>): Promise<string> {
    const [path, temporary] = [join(this.#folder, id), join(this.#folder, "new")];
    mkdirSync(dirname(path), { recursive: true });
    rmSync(temporary, { force: true });
    await write(temporary);
    if (pathInfo(temporary)) renameSync(temporary, path);
    return path;
  }

  /** The file may be gone, and it may lie on another disk. */
  #link(objects: string, id: string): void {
    const [from, path] = [join(objects, id), join(this.#folder, id)];
    if (pathInfo(from)?.isFile() !== true) return;
    mkdirSync(dirname(path), { recursive: true });
    try {
      linkSync(from, path);
    } catch (error) {
      if (!["EEXIST", "ENOENT", "EXDEV", "EPERM", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
    }
  }
}

export type AddOptions<Names> = {
  readonly known: Names | undefined;
  /** Throws when there is no time left. */
  readonly mustGoOn: () => void;
};

/** Among the loose objects that were made since. */
function brokenObjects(objects: string, { folders, sinceMs }: ObjectNames): readonly string[] {
  const made = namesIn(objects).flatMap((name) => {
    const folder = join(objects, name);
    const info = FAN_OUT.test(name) ? pathInfo(folder) : undefined;
    if (info?.isDirectory() !== true || info.ctimeMs < sinceMs - CLOCK_SLACK_MS) return [];
    const known = new Set(folders.get(name)?.names);
    const files = namesIn(folder).filter((file) => OBJECT_FILE.test(file) && !known.has(file));
    return files.map((file) => ({ path: join(folder, file), object: name + file }));
  });
  return made.slice(0, MAX_LOOSE).flatMap(({ path, object }) => (isWhole(path, object) ? [] : [path]));
}

function isWhole(path: string, object: string): boolean {
  const found = readObject(path);
  if (found === "too large") return true;
  try {
    const content = found && inflateSync(found.content, { maxOutputLength: MAX_COPIED_BYTES });
    const format = object.length === 40 ? "sha1" : "sha256";
    return content !== undefined && createHash(format).update(content).digest("hex") === object;
  } catch {
    return false;
  }
}

/** Does nothing when no plain file is there: a command may have put a link to a secret there. */
export async function copyThere(from: string, to: string): Promise<void> {
  const file = await open(from, READ).catch(() => undefined);
  if (!file) return;
  try {
    const info = await file.stat();
    if (!info.isFile()) return;
    await writeFile(to, file.createReadStream({ autoClose: false }), { mode: info.mode & 0o7777 });
  } finally {
    await file.close();
  }
}

const PIECE_BYTES = 1024 * 1024;

/** The files have the same size. */
function isSameContent(one: string, other: string): boolean {
  const files = [openSync(one, READ), openSync(other, READ)] as const;
  try {
    const pieces = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)] as const;
    for (;;) {
      const [count, otherCount] = [readSync(files[0], pieces[0]), readSync(files[1], pieces[1])];
      if (count !== otherCount || !pieces[0].subarray(0, count).equals(pieces[1].subarray(0, count)))
        return false;
      if (count === 0) return true;
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** A command may have put a link or a pipe there. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const MAX_HEAD_BYTES = 128;
const MAX_LOOSE_BYTES = 16 * 1024 * 1024;

type LooseCopy = { readonly from: number; readonly bytes: number; readonly mode: number };

/**
 * Loose objects one after another in one file, each after a line with its name, its permission bits and its size. A line
 * that a killed process cut off ends the file.
 */
class LooseCopies {
  readonly #file: string;
  readonly #copies = new Map<string, LooseCopy>();
  #end = 0;

  constructor(file: string) {
    this.#file = file;
  }

  has(id: string): boolean {
    return this.#copies.has(id);
  }

  /** Reads what another process may have added. */
  read(): void {
    if ((pathInfo(this.#file)?.size ?? 0) === this.#end) return;
    this.#copies.clear();
    this.#end = 0;
    this.#open((file) => {
      const head = Buffer.alloc(MAX_HEAD_BYTES);
      const { size } = fstatSync(file);
      while (this.#end < size) {
        const line = head.toString("latin1", 0, readSync(file, head, 0, head.length, this.#end));
        const [, id = "", mode = "", bytes = ""] = /^(\S+) (\d+) (\d+)\n/.exec(line) ?? [];
        const from = this.#end + line.indexOf("\n") + 1;
        if (id === "" || from + Number(bytes) > size) return;
        this.#copies.set(id, { from, bytes: Number(bytes), mode: Number(mode) });
        this.#end = from + Number(bytes);
      }
    });
  }

  /** Returns those that are too large. */
  add(objects: string, ids: readonly string[]): readonly string[] {
    this.read();
    const added = ids.filter((id) => !this.has(id));
    const tooLarge: string[] = [];
    if (added.length === 0) return tooLarge;
    this.#open((file) => {
      ftruncateSync(file, this.#end);
      for (const id of added) {
        const found = readObject(join(objects, id));
        if (found === "too large" || (found && this.#end + found.content.length > MAX_COPIED_BYTES))
          tooLarge.push(id);
        else if (found) this.#append(file, id, found);
      }
    });
    return tooLarge;
  }

  #append(file: number, id: string, { content, mode }: Content): void {
    const head = Buffer.from(`${id} ${mode} ${content.length}\n`);
    writeSync(file, Buffer.concat([head, content]), 0, undefined, this.#end);
    this.#copies.set(id, { from: this.#end + head.length, bytes: content.length, mode });
    this.#end += head.length + content.length;
  }

  find(id: string): Content | undefined {
    const copy = this.#copies.get(id);
    if (!copy) return undefined;
    const content = Buffer.alloc(copy.bytes);
    this.#open((file) => readSync(file, content, 0, copy.bytes, copy.from));
    return { content, mode: copy.mode };
  }

  isSame(id: string, path: string): boolean {
    const [copy, now] = [this.find(id), readObject(path)];
    return (
      copy !== undefined &&
      typeof now === "object" &&
      now.mode === copy.mode &&
      now.content.equals(copy.content)
    );
  }

  #open(act: (file: number) => void): void {
    const file = openSync(this.#file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      act(file);
    } finally {
      closeSync(file);
    }
  }
}

type Content = { readonly content: Buffer; readonly mode: number };

/** Undefined for anything but a plain file. */
function readObject(path: string): Content | "too large" | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, READ);
    const info = fstatSync(file);
    if (!info.isFile()) return undefined;
    if (info.size > MAX_LOOSE_BYTES) return "too large";
    const content = Buffer.alloc(info.size);
    return { content: content.subarray(0, readSync(file, content)), mode: info.mode & 0o7777 };
  } catch {
    // The file is gone, or closed to us.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
