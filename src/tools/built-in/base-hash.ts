/**
 * Hashes of the files that a call replaces or removes: a yes is bound to them. Files are read in pieces, so that
 * memory stays flat; a file or a folder that is too large is identified by its sizes and times.
 */
import { createHash } from "node:crypto";
import type { FileInfo, Files, Workspace } from "../workspace.js";
import { type FolderTree, folderTree } from "./folder-tree.js";
import { pathAccess, throughProtectedLinks } from "../path-access.js";
import { ToolFailure } from "../tool.js";
import type { ToolIntent } from "../tool.js";

const PIECE = 1024 * 1024;
const MAX_FILE = 256 * PIECE;
const MAX_FOLDER = 64 * PIECE;
const MAX_FILES = 200;

/** In place of a hash. */
const NOTHING_THERE = "nothing";

type BaseHashes = { readonly [path: string]: string };

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** The intent to create one file or to change its content. */
export async function intentOfWrite(path: string, workspace: Workspace): Promise<ToolIntent> {
  const file = await pathAccess(path, "write", workspace);
  return {
    paths: [file, ...(await throughProtectedLinks([file], workspace))],
    baseHashes: await hashWithoutDisclosing(file.path, () => fileBaseHash(workspace, file.path)),
  };
}

/**
 * The hash of a file that is replaced. A missing file has a value too, since a yes to a new file is not a yes to
 * replacing one.
 */
export async function fileBaseHash(files: Files, path: string): Promise<BaseHashes> {
  const info = await files.look(path);
  if (!info) return { [path]: NOTHING_THERE };
  return info.type === "file" ? { [path]: await entryHash(files, path, info) } : {};
}

/**
 * The hashes of a file, a link or a folder with its contents; empty when nothing is there. `tree`: the folder's
 * contents, if known.
 */
export async function baseHashes(files: Files, path: string, tree?: FolderTree): Promise<BaseHashes> {
  const info = await files.look(path);
  if (!info) return {};
  if (info.type === "folder") return folderHashes(files, path, tree ?? (await folderTree(files, path)));
  return { [path]: await entryHash(files, path, info) };
}

async function entryHash(files: Files, path: string, info: FileInfo): Promise<string> {
  if (info.type === "link") return sha256(await files.readLink(path));
  return info.type === "file" && info.size <= MAX_FILE ? fileHash(files, path) : sha256(outside(info));
}

async function fileHash(files: Files, path: string): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; ;) {
    const piece = await files.readBytes(path, { from, length: PIECE });
    if (!piece || piece.bytes.length === 0) break;
    hash.update(piece.bytes);
    from += piece.bytes.length;
    if (from >= piece.size) break;
  }
  return hash.digest("hex");
}

/** Each file by its bytes while there are few and small ones, and the folder by the list of all that is in it. */
async function folderHashes(
  files: Files,
  folder: string,
  { entries, isWhole }: FolderTree,
): Promise<BaseHashes> {
  const hashes: [string, string][] = [];
  const list: string[] = [isWhole ? "all" : "more"];
  let bytes = 0;
  for (const entry of entries) {
    const { path, type, size } = entry;
    const isSmall = type === "file" && hashes.length < MAX_FILES && bytes + size <= MAX_FOLDER;
    if (isSmall) {
      bytes += size;
      hashes.push([path, await fileHash(files, path)]);
    }
    const link = type === "link" ? await files.readLink(path) : "";
    list.push(JSON.stringify([path, type, link, isSmall ? "" : outside(entry)]));
  }
  return Object.fromEntries([[folder, sha256(list.join("\n"))], ...hashes]);
}

const outside = ({ type, size, modified }: Omit<FileInfo, "mode">): string => `${type} ${size} ${modified}`;

/**
 * Hashes files for an intent without disclosing why a file cannot be read. The intent is made before the decision, and
 * the reason would reveal that the file exists. The preview and the run report the reason.
 *
 * A yes for an unreadable file is for that state only: once the file is readable, its hash changes.
 */
export async function hashWithoutDisclosing(
  path: string,
  hash: () => Promise<BaseHashes>,
): Promise<BaseHashes> {
  try {
    return await hash();
  } catch (error) {
    if (error instanceof ToolFailure) return { [path]: "cannot be read" };
    throw error;
  }
}
