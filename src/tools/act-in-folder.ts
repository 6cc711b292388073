/**
 * Changes and reads the contents of an open folder: a file is replaced whole or not at all, and nothing behind a link is
 * ever touched.
 *
 * Every read ends soon and takes little memory: anything but a file is examined and not opened, since opening alone
 * may wait forever (a named pipe) or have an effect (a device); the size of a file is checked before it is read.
 *
 * Just before a change takes effect the folder must still be at its path: a change that was approved for one path must
 * not happen at another. If the folder moves right after that check, the change happens in the open folder, never in
 * one that took its place.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  access,
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  symlink,
  unlink,
} from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../call/error-code.js";
import { isMissing, mustBeFile, READ } from "./file-errors.js";
import { type FolderHandle, LinkInTheWay } from "./folder-handle.js";
import { bytesOfTarget } from "./link-text.js";
import { ToolFailure } from "./tool.js";

export async function replaceFileIn(
  folder: FolderHandle,
  name: string,
  content: string | Uint8Array,
  mode: number | undefined,
): Promise<void> {
  const kept = await modeToKeep(folder, name);
  const temporary = folder.at(`.toolgate-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeWhole(temporary, content, mode ?? kept);
    await folder.mustBeInPlace();
    await rename(temporary, folder.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await folder.sync();
}

/** A folder that is there already is left as it is, but for the mode. */
export async function makeFolderIn(
  folder: FolderHandle,
  name: string,
  mode: number | undefined,
): Promise<void> {
  try {
    await mkdir(folder.at(name), mode === undefined ? 0o777 : 0o700);
  } catch (error) {
    // Throws for anything but a folder.
    if (errorCode(error) !== "EEXIST") throw error;
    if (mode === undefined) await (await folder.enter(name)).close();
  }
  if (mode !== undefined) await setFolderMode(folder.at(name), mode);
  await folder.sync();
}

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Linux: opens a folder that nobody may read. Node has no name for it. */
export const O_PATH = 0o10000000;

/** Throws for anything but a folder. */
async function setFolderMode(path: string, mode: number): Promise<void> {
  const isLinux = process.platform === "linux";
  const made = await open(path, (isLinux ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW);
  await finish(made, () => (isLinux ? chmod(`/proc/self/fd/${made.fd}`, mode) : made.chmod(mode)));
}

export async function makeLinkIn(folder: FolderHandle, name: string, target: string): Promise<void> {
  await symlink(bytesOfTarget(target), folder.at(name));
  await folder.sync();
}

/** Removes a link but not its target. Names are bytes here: a name that is not valid text can be removed too. */
export async function removeIn(folder: FolderHandle, name: Buffer): Promise<void> {
  const stats = await lstat(folder.atBytes(name));
  await folder.mustBeInPlace();
  if (stats.isDirectory()) await removeFolderIn(folder, name);
  else await unlink(folder.atBytes(name));
  await folder.sync();
}

async function removeFolderIn(folder: FolderHandle, name: Buffer): Promise<void> {
  const inner = await folder.enter(name);
  try {
    for (const entry of await readdir(inner.atBytes(Buffer.from(".")), READ_NAMES)) {
      if (entry.isDirectory()) await removeFolderIn(inner, entry.name);
      else await unlink(inner.atBytes(entry.name));
    }
  } finally {
    await inner.close();
  }
  await rmdir(folder.atBytes(name));
}

const READ_NAMES = { withFileTypes: true, encoding: "buffer" } as const;

type Place = { readonly folder: FolderHandle; readonly name: string };

export async function moveTo(from: Place, to: Place): Promise<void> {
  const stats = await lstat(from.folder.at(from.name));
  if (await lstat(to.folder.at(to.name)).catch(() => undefined)) throw targetTaken(from, to);
  await from.folder.mustBeInPlace();
  await to.folder.mustBeInPlace();
  const [old, wanted] = [from.folder.at(from.name), to.folder.at(to.name)];
  try {
    // If something appears at the target in this moment, renaming a folder replaces only an empty folder.
    if (stats.isDirectory()) await rename(old, wanted);
    else await renameFile(old, wanted);
  } catch (error) {
    throw moveTrouble(error, from, to);
  }
  await to.folder.sync();
  await from.folder.sync();
}

/** By a second name, since a rename would quietly replace a file that appears at the target in this moment. */
async function renameFile(old: string, wanted: string): Promise<void> {
  try {
    await link(old, wanted);
  } catch (error) {
    // Not every disk has second names, and not every file may get one.
    if (!["EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errorCode(error) ?? "")) throw error;
    return rename(old, wanted);
  }
  await unlink(old);
}

function moveTrouble(error: unknown, from: Place, to: Place): unknown {
  switch (errorCode(error)) {
    case "EEXIST":
    case "ENOTEMPTY":
      return targetTaken(from, to);
    case "EXDEV":
      return new ToolFailure(
        `${pathOf(from)} and ${pathOf(to)} are on different disks. Nothing was moved. Copy it and remove the old one.`,
      );
    case "EINVAL":
      return new ToolFailure(
        `${pathOf(from)} cannot be moved into itself. Nothing was moved. Choose a place outside of it.`,
      );
    default:
      return error;
  }
}

function targetTaken(from: Place, to: Place): ToolFailure {
  return new ToolFailure(
    `${pathOf(from)} cannot be moved: something is at ${pathOf(to)} already. Nothing was moved. Choose another name, or remove what is there first.`,
  );
}

const pathOf = ({ folder, name }: Place): string => join(folder.path, name);

/** The mode of the file that is replaced; undefined for a new one. */
async function modeToKeep(folder: FolderHandle, name: string): Promise<number | undefined> {
  try {
    const old = await lstat(folder.at(name));
    if (old.isSymbolicLink()) throw new LinkInTheWay();
    mustBeFile(join(folder.path, name), old, "Nothing was written.");
    // A rename asks only the folder, but a file that is read-only was meant to be.
    await access(folder.at(name), constants.W_OK);
    return old.mode & 0o7777;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writeWhole(
  path: string,
  content: string | Uint8Array,
  mode: number | undefined,
): Promise<void> {
  // Until it has the mode of the file it replaces, nobody else may read it.
  await finish(await open(path, "wx", mode === undefined ? 0o666 : 0o600), async (file) => {
    await file.writeFile(content);
    // After the content, since writing takes the set-user bits away.
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  });
}

async function finish(file: FileHandle, act: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await act(file);
  } finally {
    await file.close();
  }
}

const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const MAX_RANGE_BYTES = 64 * 1024 * 1024;
// Without O_NONBLOCK a pipe that took the file's place would keep us waiting for someone to write to it.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export type Range = { readonly from?: number; readonly length: number };

export async function readTextIn(
  folder: FolderHandle,
  name: string,
  path: string,
): Promise<string | undefined> {
  return withFile(folder, name, path, async (file, size) => {
    if (size > MAX_TEXT_BYTES) throw notText(path, TOO_LARGE);
    return textOf(path, await firstBytes(file, size));
  });
}

export async function readBytesIn(
  folder: FolderHandle,
  name: string,
  path: string,
  { from = 0, length }: Range,
): Promise<{ readonly bytes: Uint8Array; readonly size: number } | undefined> {
  return withFile(folder, name, path, async (file, size) => {
    const wanted = Math.max(0, Math.min(length, size - from));
    if (!Number.isSafeInteger(from) || from < 0 || !(wanted <= MAX_RANGE_BYTES))
      throw new ToolFailure(
        `${path} cannot be read from ${from} on for ${length} bytes: at most 64 MB can be read at once. Nothing was read. Ask for a smaller part.`,
      );
    const buffer = Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await file.read(buffer, filled, wanted - filled, from + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: buffer.subarray(0, filled), size };
  });
}

async function withFile<T>(
  folder: FolderHandle,
  name: string,
  path: string,
  act: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | undefined> {
  const file = await openIfThere(folder, name, path);
  if (!file) return undefined;
  try {
    await folder.mustBeInPlace();
    const stats = await file.stat();
    mustBeFile(path, stats, READ.didNot);
    return await act(file, stats.size);
  } finally {
    await file.close();
  }
}

async function openIfThere(
  folder: FolderHandle,
  name: string,
  path: string,
): Promise<FileHandle | undefined> {
  try {
    const stats = await lstat(folder.at(name));
    if (stats.isSymbolicLink()) throw new LinkInTheWay();
    mustBeFile(path, stats, READ.didNot);
    return await open(folder.at(name), FLAGS);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Reads at most one byte more than a text may have: the file may grow meanwhile. Generated files (in /proc) report no
 * size before they are read.
 */
async function firstBytes(file: FileHandle, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let [total, room] = [0, size + 1];
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(room, MAX_TEXT_BYTES + 1 - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
    if (total > MAX_TEXT_BYTES) return Buffer.concat(chunks);
    room = 65_536;
  }
}

const TOO_LARGE = "it is larger than 10 MB";

function textOf(path: string, bytes: Buffer): string {
  if (bytes.length > MAX_TEXT_BYTES) throw notText(path, TOO_LARGE);
  if (bytes.includes(0)) throw notText(path, "it has NUL bytes");
  try {
    // The byte order mark stays, so that writing the text back changes nothing.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(path, "it is not valid UTF-8");
  }
}

function notText(path: string, why: string): ToolFailure {
  return new ToolFailure(
    `${path} cannot be read as text: ${why}. Nothing was read. Look at it with a command made for such files.`,
  );
}
