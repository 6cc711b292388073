/**
 * A further worktree of git: a folder of the workspace whose `.git` is a file that names a folder of a repository
 * elsewhere. A command sees of that repository only what git needs to work here. Objects, branches and the worktree's
 * own folder can be written, as in any repository; hooks, settings and the list of packed branches can be read; the index
 * and the head of the other checkouts cannot be written. The repository's own folder is one in memory, so that a new name
 * in it (a hook, `commondir`, a rebase with programs among its steps) reaches nobody.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import { touchesBelow, touchesPath } from "../../policy/paths/match-path.js";
import { repositoryAt } from "../kept-workspace/user-repository.js";
import { fileText } from "../file-text.js";
import { pathInfo } from "../path-info.js";
import type { GuardedPlaces, Worktree } from "./find-guarded.js";
import type { Mount } from "./mount.js";
import { largePacks } from "./repository-mounts.js";
import { namedBySettings, settingsAt, type SettingsPlaces } from "./named-by-settings.js";

const OPEN = ["objects", "refs", "logs", "reftable", "rr-cache"];
const CLOSED = [
  "HEAD",
  "config",
  "config.worktree",
  "hooks",
  "info",
  "branches",
  "remotes",
  "shallow",
  "lfs",
  "worktrees",
];
const PACKED = "packed-refs";
const MAX_OWN_BYTES = 1 << 20;

/** The folder of a worktree in its repository, and the repository's own. */
export type LinkedFolders = { readonly gitFolder: string; readonly shared: string };

/**
 * Undefined unless the repository names this worktree in turn: else a `.git` file of a downloaded folder could open any
 * repository of the person. Undefined also where a rule guards something of the repository, or where the sandbox's
 * workspace or the home folder lies in it.
 */
export function linkedWorktree(top: string, places: GuardedPlaces): LinkedFolders | undefined {
  const { home, roots, guards = [] } = places;
  const { gitFolder, shared } = repositoryAt(top) ?? {};
  if (gitFolder === undefined || shared === undefined) return undefined;
  if (dirname(gitFolder) !== join(shared, "worktrees")) return undefined;
  // Inside there is no link on the way to it.
  if (!OPEN.slice(0, 2).every((name) => isRealFolder(join(shared, name)))) return undefined;
  if (isWithin(home, shared) || roots.some((root) => isWithin(root, shared))) return undefined;
  const shown = [...OPEN, ...CLOSED, PACKED].map((name) => join(shared, name));
  if (guards.some(({ pattern }) => isNamed(pattern, shared, shown))) return undefined;
  try {
    const written = /^gitdir: (?<to>.+)\n*$/.exec(fileText(join(top, ".git")) ?? "")?.groups?.["to"];
    const back = fileText(join(gitFolder, "gitdir"))?.trim() ?? "";
    return resolve(top, written ?? "") === gitFolder &&
      realpathSync(resolve(gitFolder, back)) === join(top, ".git")
      ? { gitFolder, shared }
      : undefined;
  } catch {
    // One of the two does not lead to the other.
    return undefined;
  }
}

/** A pattern for any folder names files of projects. */
const isNamed = (pattern: string, shared: string, shown: readonly string[]): boolean =>
  (!pattern.startsWith("**/") && touchesBelow(pattern, shared)) ||
  shown.some((path) => touchesPath(pattern, path));

/** The folders of the repository that a command can write. */
export const openFolders = ({ path, shared }: Worktree): readonly string[] => [
  path,
  ...OPEN.map((name) => join(shared, name)).filter(isRealFolder),
];

/** `empty`: an empty file, for a list of branches that is not there yet. */
export function worktreeMounts(
  worktree: Worktree,
  { empty, isClosed, ...places }: SettingsPlaces & { readonly empty: string; readonly isClosed: boolean },
): readonly Mount[] {
  const { path, shared, top } = worktree;
  const own = worktree.steering.map((name): Mount => ({ type: "read", path: join(path, name) }));
  const named = namedBySettings(settingsAt(top), places)
    .mentioned.filter(isPlain)
    .map((file): Mount => ({ type: "read", path: file }));
  // A repository in the workspace is shown as such; only this worktree's folder in it is closed there.
  const isInside = places.roots.some((root) => isWithin(shared, root));
  if (isInside) return isClosed ? [] : [{ type: "write", path }, ...own, ...named];
  const packed = join(shared, PACKED);
  const packs = largePacks(shared).map((pack): Mount => ({ type: "read", path: pack }));
  return [
    { type: "memory", path: shared, maxBytes: MAX_OWN_BYTES },
    ...CLOSED.map((name) => join(shared, name))
      .filter(isPlain)
      .map((name): Mount => ({ type: "read", path: name })),
    // Without a mount here git would write a list into memory, and then delete the branches that are in it.
    existsSync(packed) ? { type: "read", path: packed } : { type: "read", path: packed, from: empty },
    ...openFolders(worktree).map((folder): Mount => ({ type: isClosed ? "read" : "write", path: folder })),
    ...own,
    ...(isClosed ? [] : [...named, ...packs]),
  ];
}

const isRealFolder = (path: string): boolean => pathInfo(path)?.isDirectory() === true;

function isPlain(path: string): boolean {
  const info = pathInfo(path);
  return info !== undefined && (info.isFile() || info.isDirectory());
}
