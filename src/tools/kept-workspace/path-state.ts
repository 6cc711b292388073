/** States of paths as texts, to be compared: a state that differs means that someone has changed the path since. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { bytesOfTarget } from "../link-text.js";
import { pathInfo } from "../path-info.js";
import type { ObjectFormat } from "../git/read-index.js";
import type { Files } from "../workspace.js";
import type { EarlierState } from "./change-bundle.js";
import { indexEntries } from "./seed-index.js";

const PIECE_BYTES = 16 * 1024 * 1024;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_TREE_ENTRIES = 200_000;
const MAX_HASHED_BYTES = 256 * 1024 * 1024;

export const folderState = (mode: number): string => `folder ${mode.toString(8)}`;

/** `like`: the state to compare with, which says how to look. */
export async function stateOf(
  files: Files,
  path: string,
  { format, like }: { readonly format: ObjectFormat; readonly like: string | undefined },
): Promise<string | undefined> {
  if (like?.startsWith("tree ")) return treeFingerprint(path);
  const info = await files.look(path);
  if (!info) return undefined;
  if (like?.startsWith("stamp ")) return stampState(path);
  if (info.type === "folder") return folderState(info.mode);
  if (info.type === "link") return `link ${objectName(format, Buffer.from(await files.readLink(path)))}`;
  if (info.type !== "file") return "other";
  if (like?.startsWith("index ") && info.size <= MAX_INDEX_BYTES) {
    const read = await files.readBytes(path, { length: info.size });
    return read && (indexState(read.bytes, format, info.mode) ?? "index of an unknown form");
  }
  const hash = createHash(format).update(`blob ${info.size}\0`);
  for (let from = 0; from < info.size; from += PIECE_BYTES) {
    const read = await files.readBytes(path, { from, length: Math.min(PIECE_BYTES, info.size - from) });
    if (!read) return undefined;
    hash.update(read.bytes);
  }
  return `file ${hash.digest("hex")} ${info.mode.toString(8)}`;
}

/** The same for an object file or a folder of them, without waiting. */
export function stateHere(path: string, format: ObjectFormat): string | undefined {
  const info = pathInfo(path);
  if (!info) return undefined;
  if (info.isDirectory()) return folderState(info.mode & 0o7777);
  if (info.isSymbolicLink()) return `link ${objectName(format, readlinkSync(path, { encoding: "buffer" }))}`;
  if (!info.isFile()) return "other";
  if (info.size > MAX_HASHED_BYTES) return stampState(path);
  return `file ${objectName(format, readFileSync(path))} ${(info.mode & 0o7777).toString(8)}`;
}

/** The state of a path before a command, to be compared with what `stateOf` returns for the same `like`. */
export function earlierStateText(
  before: EarlierState | undefined,
  { format, like }: { readonly format: ObjectFormat; readonly like: string | undefined },
): string | undefined {
  if (!before) return undefined;
  if (before.type === "folder") return folderState(before.mode);
  if (before.type === "link") return `link ${objectName(format, bytesOfTarget(before.target))}`;
  if (like?.startsWith("index ")) return indexState(before.content, format, before.mode);
  return `file ${objectName(format, before.content)} ${before.mode.toString(8)}`;
}

/**
 * The state of an index of git: its entries. Git also writes an index when it has only looked at files, and that is no
 * change. Undefined when it is not of a known form.
 */
export function indexState(content: Uint8Array, format: ObjectFormat, mode: number): string | undefined {
  const entries = indexEntries(Buffer.from(content), format);
  // An index without entries has an empty text.
  if (entries === undefined) return undefined;
  return `index ${createHash("sha256").update(entries).digest("hex")} ${mode.toString(8)}`;
}

/** The name that git gives to a content. */
export function objectName(format: ObjectFormat, content: Uint8Array): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}

function stampState(path: string): string | undefined {
  const info = pathInfo(path);
  return info && `stamp ${info.size} ${info.mtimeMs} ${info.ctimeMs}`;
}

/** Names, types, sizes and times of all that is in a folder. Too large a folder never is as it was. */
export function treeFingerprint(root: string): string {
  const hash = createHash("sha256");
  let count = 0;
  const paths = [root];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    count += 1;
    if (count > MAX_TREE_ENTRIES) return `tree of more than ${MAX_TREE_ENTRIES} entries at ${Date.now()}`;
    const info = pathInfo(path);
    hash.update(JSON.stringify([path.slice(root.length), info && entryText(path, info)]));
    if (info?.isDirectory()) paths.push(...entriesOf(path));
  }
  return `tree ${hash.digest("hex")}`;
}

function entryText(path: string, info: Stats): string {
  if (info.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  return info.isDirectory() ? "folder" : `${info.size} ${info.mtimeMs} ${info.mode}`;
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .toSorted()
      .map((name) => `${path}/${name}`);
  } catch {
    return [];
  }
}
