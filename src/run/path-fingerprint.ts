/**
 * Fingerprints a path, to detect later whether someone has changed it: a file's SHA-256, the target of a link, or the
 * type of the entry. A file that is too large to read is identified by its size and time.
 */
import { createHash } from "node:crypto";
import type { FileInfo, Files } from "../tools/index.js";

/** More than this is not read through. */
export const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_FILES = 2_000;
const MAX_ENTRIES = 10_000;

/** The fingerprint of the entry itself: a folder's contents do not count. Undefined when nothing is there. */
export async function fingerprint(files: Files, path: string): Promise<string | undefined> {
  const info = await files.look(path);
  return info && entryFingerprint(files, path, info, info.size <= MAX_BYTES);
}

/** With all that is in a folder. Undefined when nothing is there, or too much. */
export async function wholeFingerprint(files: Files, path: string): Promise<string | undefined> {
  const own = await fingerprint(files, path);
  if (own !== "folder") return own;
  const lines: string[] = [];
  let bytesLeft = MAX_BYTES;
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name } of await files.list(folder)) {
      if (lines.length >= MAX_ENTRIES) return undefined;
      const inner = `${folder}/${name}`;
      const info = await files.look(inner);
      if (info?.type === "folder") folders.push(inner);
      if (info?.type === "file") bytesLeft -= info.size;
      const isSmall = bytesLeft >= 0 && lines.length < MAX_FILES;
      const what = info && (await entryFingerprint(files, inner, info, isSmall));
      lines.push(JSON.stringify([inner.slice(path.length), what ?? "nothing found"]));
    }
  }
  return `folder ${sha256(lines.join("\n"))}`;
}

async function entryFingerprint(
  files: Files,
  path: string,
  { type, size, modified }: FileInfo,
  isSmall: boolean,
): Promise<string | undefined> {
  if (type === "link") return `link to ${await files.readLink(path)}`;
  if (type !== "file") return type;
  if (!isSmall) return `file of ${size} bytes, written at ${modified}`;
  const bytes = await wholeFile(files, path, size);
  return bytes && sha256(bytes);
}

/** The file may have grown since `look`, and an editor's buffer may be longer than the file on disk. */
export async function wholeFile(files: Files, path: string, size: number): Promise<Uint8Array | undefined> {
  const read = await files.readBytes(path, { length: size });
  if (!read || read.size <= read.bytes.length) return read?.bytes;
  return (await files.readBytes(path, { length: read.size }))?.bytes;
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
