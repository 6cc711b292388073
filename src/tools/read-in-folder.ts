/**
 * Reads a file in an open folder.
 *
 * Every read ends soon and takes little memory: anything but a file is examined and not opened, since opening alone
 * may wait forever (a named pipe) or have an effect (a device); the size of a file is checked before it is read.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { isMissing, mustBeFile, READ } from "./file-errors.js";
import { type FolderHandle, LinkInTheWay } from "./folder-handle.js";
import { ToolFailure } from "./tool.js";

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
