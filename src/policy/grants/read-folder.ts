/** The folder that "reading below …" would open for a path outside of the workspace. */
import { isProtected } from "../paths/protected-paths.js";
import { matchPath } from "../paths/match-path.js";

export type FolderPlaces = {
  readonly roots: readonly string[];
  readonly home: string;
  /** The repository that a path lies in, or its folder; reads the disk, which the rules do not. */
  readonly folderOf?: (path: string) => string | undefined;
};

/**
 * The project or collection that the path belongs to, which is what people mean, or its folder. Undefined when that
 * would be too wide, or holds secrets.
 */
export function readFolder(path: string, places: FolderPlaces): string | undefined {
  const onDisk = places.folderOf?.(path);
  const byName = folderByName(path);
  const isRepository = onDisk !== undefined && onDisk !== path && onDisk !== byName;
  const candidates = [isRepository ? onDisk : projectFolder(byName, places), onDisk, byName];
  return candidates.find((folder) => folder !== undefined && mayBeOpened(folder, path, places));
}

/** Names below the root of the system that lead to one collection: `/usr/local/go`. */
const SYSTEM_DEPTH = 3;

/**
 * The folder beside the workspace that the path is in, at the same depth: projects lie beside each other. Below the
 * home folder alone, at least two names deep.
 */
function projectFolder(folder: string, { home, roots: [root = home] }: FolderPlaces): string {
  const names = namesIn(folder);
  const own = namesIn(root);
  const split = names.findIndex((name, index) => name !== own[index]);
  const shared = split === -1 ? names.length : split;
  const homeDepth = namesIn(home).length;
  const isAtHome = folder.startsWith(`${home}/`);
  if (shared > (isAtHome ? homeDepth : 0)) return pathTo(names, Math.max(own.length, shared + 1));
  return pathTo(names, isAtHome ? Math.max(own.length, homeDepth + 2) : SYSTEM_DEPTH);
}

const namesIn = (path: string): readonly string[] => path.split("/").filter((name) => name !== "");

const pathTo = (names: readonly string[], depth: number): string => `/${names.slice(0, depth).join("/")}`;

/** A name with an extension is a file's. */
function folderByName(path: string): string {
  const slash = path.lastIndexOf("/");
  return /[^.]\.[A-Za-z]\w{0,7}$/.test(path.slice(slash + 1)) ? path.slice(0, slash) : path;
}

/** Whether an "always" may open all that is below the folder. */
export function mayBeOpened(folder: string, path: string, { home, roots }: FolderPlaces): boolean {
  const names = namesIn(folder);
  const holds = (place: string): boolean => matchPath(`${folder}/**`, place);
  // Somebody's home folder.
  if (/^\/(?:home|Users)\/[^/]*$/.test(folder)) return false;
  if (/[*?]/.test(folder) || names.includes("..") || names.length < 2) return false;
  // A folder that holds the workspace or the home folder holds everything else too.
  if (!holds(path) || holds(home) || roots.some(holds)) return false;
  if (CLOSED.some((place) => matchPath(`${place}/**`, folder))) return false;
  const below = matchPath(`${home}/**`, folder) ? folder.slice(home.length + 1).split("/") : undefined;
  if (below && CLOSED_AT_HOME.has((below[0] ?? "").toLowerCase())) return false;
  return isProtected(`${folder}/file`, { home, roots, own: [], access: "read" }) === undefined;
}

/** Folders of the system in which settings, devices and other people's files are. */
const CLOSED =
  "/etc /private/etc /proc /sys /dev /root /run /var/run /boot /var/lib /var/log /var/spool /var/root".split(
    " ",
  );

/** Folders at home in which programs keep their settings, and many of them their keys. */
const CLOSED_AT_HOME: ReadonlySet<string> = new Set(
  ".ssh .config .local .gnupg .aws .azure .kube .docker .mozilla .password-store .netrc library appdata .claude .codex .gemini .toolgate".split(
    " ",
  ),
);
