/** Finds what git does not list: the git folders in a workspace, and folders and files with unusual permission bits. */
import { existsSync } from "node:fs";
import { pathInfo } from "../path-info.js";
import { collectOutput } from "../../process/index.js";
import type { KnownFolders } from "./known-folders.js";
import { zeroEnded } from "./place-snapshot.js";
import type { usualModes } from "./place-snapshot.js";
import { KeepFailed } from "./shadow-git.js";

const PROGRAMS = ["/usr/bin/find", "/bin/find", "/run/current-system/sw/bin/find"];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Paths are relative to the root, byte for byte as latin1. */
export type FoundFolders = {
  /** Folders that hold a `.git`, but for the root itself. */
  readonly repositories: readonly string[];
  readonly oddFolders: ReadonlyMap<string, number>;
  /** Empty unless asked for. */
  readonly oddFiles: ReadonlyMap<string, number>;
  /** Folders whose names may have changed since the last look; absent when any may have. */
  readonly changed?: readonly string[];
};

export type FindOptions = {
  readonly root: string;
  readonly usual: ReturnType<typeof usualModes>;
  /** Folders that are not entered. */
  readonly opaque: readonly string[];
  readonly withFiles: boolean;
  readonly known: KnownFolders;
  readonly deadline: number;
};

export async function findFolders(options: FindOptions): Promise<FoundFolders> {
  const { root, usual, withFiles, known } = options;
  if (!withFiles && !known.isEmpty) {
    const { folders, repositories, changed } = known.walk(options);
    return { repositories, changed, oddFolders: oddOf(folders, usual.folder), oddFiles: new Map() };
  }
  const sinceMs = Date.now();
  const { repositories, folders, oddFiles } = sorted(root, await search(options));
  known.learn(options, { folders: [...folders.keys()], repositories }, sinceMs);
  return { repositories, oddFolders: oddOf(folders, usual.folder), oddFiles };
}

const oddOf = (folders: ReadonlyMap<string, number>, usual: number): ReadonlyMap<string, number> =>
  new Map([...folders].filter(([, mode]) => mode !== usual));

async function search({ root, usual, opaque, withFiles, deadline }: FindOptions): Promise<readonly string[]> {
  const program = PROGRAMS.find((path) => existsSync(path));
  const timeoutMs = deadline - Date.now();
  if (program === undefined) return [];
  if (timeoutMs <= 0) throw new KeepFailed("time", "find");
  const pruned = opaque.flatMap((path) => ["-path", `./${escaped(path)}`, "-prune", "-o"]);
  const files = withFiles ? ["-o", "-type", "f", ...odd(usual.file, usual.program), "-print0"] : [];
  const expression = [...pruned, "-name", ".git", "-print0", "-prune", "-o", "-type", "d", "-print0"];
  const { stdout, exceeded } = await collectOutput([program, ".", ...expression, ...files], {
    cwd: root,
    env: { LC_ALL: "C" },
    timeoutMs,
    maxBytes: MAX_OUTPUT_BYTES,
  });
  if (exceeded !== undefined) throw new KeepFailed(exceeded, "find");
  return zeroEnded(stdout);
}

const odd = (...modes: readonly number[]): readonly string[] =>
  modes.flatMap((mode) => ["!", "-perm", mode.toString(8)]);

function sorted(
  root: string,
  lines: readonly string[],
): {
  readonly repositories: readonly string[];
  readonly folders: ReadonlyMap<string, number>;
  readonly oddFiles: ReadonlyMap<string, number>;
} {
  const repositories: string[] = [];
  const folders = new Map<string, number>();
  const oddFiles = new Map<string, number>();
  for (const line of lines) {
    const path = line.slice(2);
    if (path === "" || path === ".git") continue;
    if (path.endsWith("/.git")) {
      repositories.push(path.slice(0, -"/.git".length));
      continue;
    }
    const onDisk = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
    const info = pathInfo(onDisk);
    if (info?.isDirectory()) folders.set(path, info.mode & 0o7777);
    else if (info?.isFile()) oddFiles.set(path, info.mode & 0o7777);
  }
  return { repositories, folders, oddFiles };
}

/** As a pattern that matches the path alone. */
const escaped = (path: string): string =>
  Buffer.from(path, "latin1")
    .toString()
    .replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
