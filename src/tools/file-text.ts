/**
 * Reads a file of which nobody knows what it is: a command may have put a pipe there, which would never end, or a link to
 * a device without an end.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

const MAX_BYTES = 1 << 20;

/** Undefined for anything but a plain file of at most `maxBytes` that can be read, or a link to one. */
export function fileText(
  path: string,
  { maxBytes, encoding = "utf8" }: { readonly maxBytes?: number; readonly encoding?: BufferEncoding } = {},
): string | undefined {
  return fileBytes(path, maxBytes)?.toString(encoding);
}

export function fileBytes(path: string, maxBytes = MAX_BYTES): Buffer | undefined {
  let file: number | undefined;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    // Not blocking: it may be a pipe by now.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = fstatSync(file);
    if (!info.isFile() || info.size > maxBytes) return undefined;
    const bytes = Buffer.alloc(info.size);
    return bytes.subarray(0, readSync(file, bytes, 0, info.size, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
