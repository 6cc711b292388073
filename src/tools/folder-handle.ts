/**
 * A handle to the folder that was decided on, whatever is renamed or linked around it.
 *
 * On Linux the handle is a descriptor, and every act goes through `/proc/self/fd`: the kernel looks up one name in
 * that very folder, as `openat` does. The path is opened at once and the kernel reports its name; when that is not the
 * expected name, the path is opened name by name, following no link. Other systems only allow a check before each act,
 * which narrows the gap between the check and the act and does not close it.
 *
 * Invariant: no act is running in a folder when its handle is closed. The descriptor may be reused at once, and the
 * act would happen in another folder.
 */
import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../call/error-code.js";
import { ToolFailure } from "./tool.js";

// Node lacks this constant: a descriptor that only marks a place, also of a folder that we may not list.
const O_PATH = 0x20_0000;
const OPEN_FOLDER = O_PATH | constants.O_DIRECTORY;
const OPEN_NO_LINK = OPEN_FOLDER | constants.O_NOFOLLOW;
const HAS_DESCRIPTOR_PATHS = process.platform === "linux" && existsSync("/proc/self/fd");

/** A link took the place of a real path. `inFolderOf` writes the message, since it knows the whole path. */
export class LinkInTheWay extends Error {
  readonly code = "LINK_IN_THE_WAY";
}

export class FolderHandle {
  readonly path: string;
  readonly #handle: FileHandle | undefined;
  /** The kernel's name for the folder when it was opened. */
  readonly #known: string | undefined;

  private constructor(path: string, known: string | undefined, handle?: FileHandle) {
    this.path = path;
    this.#known = known;
    this.#handle = handle;
  }

  /** Throws LinkInTheWay, or the file system's own error. With `make`, missing folders are created. */
  static async open(path: string, { make = false }: { readonly make?: boolean } = {}): Promise<FolderHandle> {
    if (!HAS_DESCRIPTOR_PATHS) return FolderHandle.#openByPath(path, make);
    return (await FolderHandle.#openAtOnce(path)) ?? FolderHandle.#walk(path, make);
  }

  static async #openAtOnce(path: string): Promise<FolderHandle | undefined> {
    const handle = await open(path, OPEN_FOLDER).catch(() => undefined);
    if (!handle) return undefined;
    const known = await knownAs(handle);
    if (known === path) return new FolderHandle(path, known, handle);
    await handle.close();
    return undefined;
  }

  static async #walk(path: string, make: boolean): Promise<FolderHandle> {
    let folder = new FolderHandle("/", "/", await open("/", OPEN_NO_LINK));
    for (const name of path.split("/").filter((part) => part !== "")) {
      const parent = folder;
      try {
        if (make) await parent.#makeIfMissing(name);
        folder = await parent.enter(name);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  static async #openByPath(path: string, make: boolean): Promise<FolderHandle> {
    const folder = new FolderHandle(path, path);
    await folder.mustBeInPlace();
    if (make) await mkdir(path, { recursive: true });
    const stats = await lstat(path);
    if (!stats.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
    await folder.mustBeInPlace();
    return folder;
  }

  /** The path that reaches a name in this folder. */
  at(name: string): string {
    return this.#handle ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.path, name);
  }

  /** The same as `at` for a name that is not valid text. */
  atBytes(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(this.at("_").slice(0, -1)), name]);
  }

  async enter(name: string | Buffer): Promise<FolderHandle> {
    const [place, path] =
      typeof name === "string"
        ? [this.at(name), join(this.path, name)]
        : [this.atBytes(name), join(this.path, name.toString())];
    if (!this.#handle) return FolderHandle.#openByPath(path, false);
    try {
      const handle = await open(place, OPEN_NO_LINK);
      return new FolderHandle(path, await knownAs(handle), handle);
    } catch (error) {
      const stats = await lstat(place).catch(() => undefined);
      throw stats?.isSymbolicLink() ? new LinkInTheWay() : error;
    }
  }

  /** Throws LinkInTheWay when the folder has moved. Call it just before a change. */
  async mustBeInPlace(): Promise<void> {
    const now = this.#handle ? await knownAs(this.#handle) : await realPathOf(this.path);
    if (now === undefined || now !== this.#known) throw new LinkInTheWay();
  }

  /** Makes the names durable. They are in place already: a failure here undoes nothing. */
  async sync(): Promise<void> {
    const handle = await open(this.at("."), constants.O_RDONLY).catch(() => undefined);
    await handle?.sync().catch(() => undefined);
    await handle?.close();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #makeIfMissing(name: string): Promise<void> {
    try {
      await mkdir(this.at(name));
    } catch (error) {
      // For an existing folder, some systems report a missing permission instead.
      if (!(await lstat(this.at(name)).catch(() => undefined))) throw error;
    }
  }
}

/** Undefined for a path that is too long for the kernel to report. */
async function knownAs(handle: FileHandle): Promise<string | undefined> {
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}

/**
 * More acts wait for their turn: each holds up to four descriptors, a step may have thousands of calls, and some systems
 * give a process 256 descriptors in all. Node works on four at a time anyway.
 */
const MAX_ACTS = 32;
let acts = 0;
/** A set, in the order of their coming: taking the first of a long array moves all others. */
const waitingActs = new Set<() => void>();

function endAct(): void {
  const { value: next } = waitingActs.values().next();
  if (!next) {
    acts -= 1;
    return;
  }
  waitingActs.delete(next);
  next();
}

/**
 * Opens the parent folder of a real path for one act, and closes it afterwards. The act gets the last name; for `/`,
 * which has no parent, that is `.`. `isInside`: called by another act, which has its turn already.
 */
export async function inFolderOf<T>(
  realPath: string,
  act: (folder: FolderHandle, name: string) => Promise<T>,
  { isInside = false, ...options }: { readonly make?: boolean; readonly isInside?: boolean } = {},
): Promise<T> {
  mustBeSpelledOut(realPath);
  if (isInside) return openFor(realPath, act, options);
  if (acts < MAX_ACTS) acts += 1;
  else await new Promise<void>((resolve) => void waitingActs.add(resolve));
  try {
    return await openFor(realPath, act, options);
  } finally {
    endAct();
  }
}

async function openFor<T>(
  realPath: string,
  act: (folder: FolderHandle, name: string) => Promise<T>,
  options: { readonly make?: boolean },
): Promise<T> {
  try {
    const folder = await FolderHandle.open(dirname(realPath), options);
    try {
      return await act(folder, realPath === "/" ? "." : basename(realPath));
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error;
    const now = await realPathOf(realPath).catch((reason: unknown) => errorCode(reason) ?? "nowhere");
    throw new ToolFailure(
      `${realPath} leads to ${now === realPath ? "another place" : now} now: a link was put in its way. Nothing was read or written. Resolve the path again.`,
    );
  }
}

function mustBeSpelledOut(path: string): void {
  const parts = path.split("/").slice(1);
  const spelledOut = path === "/" || !parts.some((part) => part === "" || part === "." || part === "..");
  if (path.startsWith("/") && spelledOut && !path.includes("\0")) return;
  throw new ToolFailure(
    `${JSON.stringify(path)} is not a real path. Nothing was read or written. Resolve it first.`,
  );
}

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/**
 * Resolves a path as the kernel does: `..` after a link goes up from the link's target, not from its name. Missing files
 * are resolved too. A dangling link leads to the place where a file written through it would be created; `realpath`
 * fails on it, so `realpath` alone cannot show whether a new file stays inside.
 *
 * Throws the file system's own error (ENOTDIR, ELOOP, EACCES …) when the path cannot be walked.
 * With `keepLink` the last name is not followed, also not in `link/`; `link/.` and `link/..` are no names.
 */
export async function realPathOf(
  absolutePath: string,
  { keepLink = false }: { readonly keepLink?: boolean } = {},
): Promise<string> {
  if (keepLink) {
    // dirname and basename ignore slashes at the end.
    const [folder, name] = [dirname(absolutePath), basename(absolutePath)];
    if (!["", ".", ".."].includes(name)) return keptIn(await realPathOf(folder), name);
  }
  // The kernel's own walk is quicker, and it alone knows how a name is really written on a disk that ignores case.
  const known = await realpath(absolutePath).catch(() => undefined);
  return known ?? (await newNameIn(absolutePath)) ?? walk(absolutePath);
}

/** The real path of a file that does not exist yet, in a folder that does: most missing files are of this kind. */
async function newNameIn(absolutePath: string): Promise<string | undefined> {
  const name = basename(absolutePath);
  if (["", ".", ".."].includes(name)) return undefined;
  const folder = await realpath(dirname(absolutePath)).catch(() => undefined);
  if (folder === undefined) return undefined;
  const path = join(folder, name);
  return (await look(path)) === "missing" ? path : undefined;
}

async function keptIn(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  // Throws where there can be no such name.
  await look(path);
  return path;
}

async function walk(absolutePath: string): Promise<string> {
  // The parts still to walk, the next one last.
  const ahead = absolutePath.split("/").toReversed();
  // The position of the walk: `here` is real and exists, `missing` does not exist below it.
  let here = "/";
  const missing: string[] = [];
  let links = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (missing.pop() === undefined) here = dirname(here);
      continue;
    }
    const found = missing.length > 0 ? "missing" : await look(join(here, part));
    if (found === "missing") {
      missing.push(part);
    } else if (found === "real") {
      here = join(here, part);
    } else {
      if (++links > MAX_LINKS) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
      if (found.target.startsWith("/")) here = "/";
      ahead.push(...found.target.split("/").toReversed());
    }
  }
  return join(await realpath(here), ...missing);
}

async function look(path: string): Promise<"missing" | "real" | { readonly target: string }> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return "real";
    return { target: await readlink(path) };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    throw error;
  }
}
