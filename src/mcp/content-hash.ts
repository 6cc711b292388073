/** Hashes the content of files in the workspace. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join, relative, resolve, sep } from "node:path";

export type CodeFile = readonly [path: string, sha256: string];

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`);
}

export type Found = { readonly path: string; readonly type: "file" | "folder" };

/** The real path. Undefined when nothing is there, or when neither the file nor a link to it is in the workspace. */
export function inWorkspace(path: string, workspace: string): Found | undefined {
  try {
    const real = realpathSync(path);
    const roots = [workspace, realpathSync(workspace)];
    if (!roots.some((root) => [path, real].some((one) => resolve(one) === root || isBelow(one, root))))
      return undefined;
    return { path: real, type: statSync(real).isDirectory() ? "folder" : "file" };
  } catch {
    // Most words are no paths.
    return undefined;
  }
}

const CHUNK_BYTES = 1 << 20;

/** Undefined when the path is no file. */
export function contentHash(path: string): string | undefined {
  try {
    // Does not wait for a writer of a named pipe.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!fstatSync(file).isFile()) return undefined;
      const hash = createHash("sha256");
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk))
        hash.update(chunk.subarray(0, size));
      return hash.digest("hex");
    } finally {
      closeSync(file);
    }
  } catch {
    // An unreadable file may become readable later, and is another program then.
    return "unreadable";
  }
}

const MAX_TREE_FILES = 500;

/** Every file below a folder; undefined when there are too many, or one cannot be read. */
export function treeHashes(folder: string): readonly CodeFile[] | undefined {
  const files: CodeFile[] = [];
  const waiting = [folder];
  try {
    for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
      for (const entry of readdirSync(here, { withFileTypes: true })) {
        const path = join(here, entry.name);
        if (entry.isDirectory()) waiting.push(path);
        else files.push([path, `${realpathSync(path)} ${contentHash(path)}`]);
        if (files.length + waiting.length > MAX_TREE_FILES) return undefined;
      }
    }
  } catch {
    return undefined;
  }
  return files.toSorted(([one], [other]) => (one < other ? -1 : 1));
}
