/**
 * The user's repository as files: where its git folder, its shared folder and its objects are. Git is not run there.
 * Anything that is not of a known form counts as no repository: then nothing is seeded from it.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileText } from "../file-text.js";
import { pathInfo } from "../path-info.js";
import { readConfig } from "../git/read-config.js";
import type { ObjectFormat } from "../git/read-index.js";

export type UserRepository = {
  /** The folder of its files. */
  readonly top: string;
  /** HEAD, the index and the state of operations under way. */
  readonly gitFolder: string;
  /** Branches, settings and objects: the same, but for a further worktree. */
  readonly shared: string;
  readonly format: ObjectFormat;
};

/** The repository whose files are in this very folder. */
export function repositoryAt(top: string): UserRepository | undefined {
  try {
    const gitFolder = gitFolderOf(top);
    if (gitFolder === undefined) return undefined;
    const common = fileText(join(gitFolder, "commondir"))?.trim();
    const shared = common === undefined ? gitFolder : realpathSync(resolve(gitFolder, common));
    if (!existsSync(join(shared, "objects"))) return undefined;
    return { top, gitFolder, shared, format: formatOf(shared) };
  } catch {
    // Something is missing or not readable.
    return undefined;
  }
}

/** The repository that a folder belongs to, and the folder's path in it. */
export function repositoryAround(
  folder: string,
): { readonly repository: UserRepository; readonly prefix: string } | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const repository = repositoryAt(top);
    if (repository) {
      const prefix = relative(top, folder);
      return { repository, prefix: prefix === "" ? "" : `${prefix}/` };
    }
    if (top === dirname(top)) return undefined;
  }
}

/** All folders with objects: the repository's own, and those that it borrows from. */
export function objectFolders({ shared }: UserRepository): readonly string[] {
  const found = new Set<string>();
  const add = (folder: string): void => {
    if (found.has(folder) || found.size > MAX_ALTERNATES || !existsSync(folder)) return;
    found.add(folder);
    for (const line of (fileText(join(folder, "info/alternates")) ?? "").split("\n"))
      if (line !== "" && !line.startsWith("#")) add(resolve(folder, line));
  };
  add(join(shared, "objects"));
  return [...found];
}

const MAX_ALTERNATES = 10;

function gitFolderOf(top: string): string | undefined {
  const path = join(top, ".git");
  const info = pathInfo(path);
  if (info?.isDirectory()) return existsSync(join(path, "HEAD")) ? path : undefined;
  if (!info?.isFile()) return undefined;
  const named = /^gitdir: (?<to>.+)\n*$/.exec(fileText(path) ?? "")?.groups?.["to"];
  return named === undefined ? undefined : realpathSync(resolve(top, named));
}

function formatOf(shared: string): ObjectFormat {
  const settings = readConfig(fileText(join(shared, "config")) ?? "") ?? [];
  const format = settings.findLast(({ name }) => name === "extensions.objectformat")?.value;
  return format === "sha256" ? "sha256" : "sha1";
}
