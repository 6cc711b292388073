/** Finds what git does not list: the git folders in a workspace, and folders and files with unusual permission bits. */
import { existsSync, lstatSync } from "node:fs";
import { collectOutput } from "../../process/index.js";
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
};

export type FindOptions = {
  readonly root: string;
  readonly usual: ReturnType<typeof usualModes>;
  /** Folders that are not entered. */
  readonly opaque: readonly string[];
  readonly withFiles: boolean;
  readonly deadline: number;
};

export async function findFolders(options: FindOptions): Promise<FoundFolders> {
  const { root, usual, opaque, withFiles, deadline } = options;
  const program = PROGRAMS.find((path) => existsSync(path));
  const timeoutMs = deadline - Date.now();
  if (program === undefined) return { repositories: [], oddFolders: new Map(), oddFiles: new Map() };
  if (timeoutMs <= 0) throw new KeepFailed("time", "find");
  const pruned = opaque.flatMap((path) => ["-path", `./${escaped(path)}`, "-prune", "-o"]);
  const files = withFiles ? ["-o", "-type", "f", ...odd(usual.file, usual.program), "-print0"] : [];
  const expression = [
    ...pruned,
    "-name",
    ".git",
    "-print0",
    "-prune",
    "-o",
    "-type",
    "d",
    ...odd(usual.folder),
  ];
  const { stdout, exceeded } = await collectOutput([program, ".", ...expression, "-print0", ...files], {
    cwd: root,
    env: { LC_ALL: "C" },
    timeoutMs,
    maxBytes: MAX_OUTPUT_BYTES,
  });
  if (exceeded !== undefined) throw new KeepFailed(exceeded, "find");
  return sorted(root, zeroEnded(stdout));
}

const odd = (...modes: readonly number[]): readonly string[] =>
  modes.flatMap((mode) => ["!", "-perm", mode.toString(8)]);

function sorted(root: string, lines: readonly string[]): FoundFolders {
  const repositories: string[] = [];
  const oddFolders = new Map<string, number>();
  const oddFiles = new Map<string, number>();
  for (const line of lines) {
    const path = line.slice(2);
    if (path === "" || path === ".git") continue;
    if (path.endsWith("/.git")) {
      repositories.push(path.slice(0, -"/.git".length));
      continue;
    }
    const onDisk = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
    const info = lstatSync(onDisk, { throwIfNoEntry: false });
    if (info?.isDirectory()) oddFolders.set(path, info.mode & 0o7777);
    else if (info?.isFile()) oddFiles.set(path, info.mode & 0o7777);
  }
  return { repositories, oddFolders, oddFiles };
}

/** As a pattern that matches the path alone. */
const escaped = (path: string): string =>
  Buffer.from(path, "latin1")
    .toString()
    .replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
