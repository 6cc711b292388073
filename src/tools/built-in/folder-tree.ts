/** Lists everything in a folder, at any depth, up to a limit. Links are not followed. */
import { countOf, sizeText } from "../../call/amounts.js";
import { posix } from "node:path";
import type { Files, FileType, FolderEntry } from "../workspace.js";

const MAX_ENTRIES = 10_000;
const AT_ONCE = 32;

/** `size` and `modified` are 0 for anything but a file. */
export type TreeEntry = {
  readonly path: string;
  readonly type: FileType;
  readonly size: number;
  readonly modified: number;
};
/** `isWhole`: there is no more than these. */
export type FolderTree = { readonly entries: readonly TreeEntry[]; readonly isWhole: boolean };

export async function folderTree(files: Files, folder: string, limit = MAX_ENTRIES): Promise<FolderTree> {
  const entries: TreeEntry[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const listed = await files.list(next);
    const room = limit - entries.length;
    const found = await entriesOf(files, next, listed.slice(0, room));
    entries.push(...found);
    if (listed.length > room) return { entries, isWhole: false };
    folders.push(...found.filter(({ type }) => type === "folder").map(({ path }) => path));
  }
  return { entries, isWhole: true };
}

async function entriesOf(files: Files, folder: string, listed: readonly FolderEntry[]): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    const some = listed.slice(start, start + AT_ONCE);
    entries.push(...(await Promise.all(some.map((entry) => treeEntry(files, folder, entry)))));
  }
  return entries;
}

async function treeEntry(files: Files, folder: string, { name, type }: FolderEntry): Promise<TreeEntry> {
  const path = posix.join(folder, name);
  const info = type === "file" ? await files.look(path) : undefined;
  return { path, type, size: info?.size ?? 0, modified: info?.modified ?? 0 };
}

/** "2 files (12 B), 1 folder and 3 links" */
export function treeSummary({ entries, isWhole }: FolderTree): string {
  if (!isWhole) return `more than ${countOf(entries.length, "entry", "entries")}`;
  const ofType = (wanted: FileType) => entries.filter(({ type }) => type === wanted);
  const files = ofType("file");
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const parts = [
    ...(files.length > 0 ? [`${countOf(files.length, "file")} (${sizeText(size)})`] : []),
    ...(["folder", "link", "other"] as const).flatMap((type) => {
      const { length } = ofType(type);
      return length > 0 ? [type === "other" ? countOf(length, "special file") : countOf(length, type)] : [];
    }),
  ];
  return [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter((part) => part !== "").join(" and ");
}
