/** The folder that "reading below …" would open for a path outside of the workspace. */
import { isProtected } from "../paths/protected-paths.js";
import { matchPath } from "../paths/match-path.js";

export type FolderPlaces = {
  readonly roots: readonly string[];
  readonly home: string;
  /** The repository that a path lies in, or its folder; reads the disk, which the rules do not. */
  readonly folderOf?: (path: string) => string | undefined;
};

/** Undefined when the folder would be too wide, or holds secrets. */
export function readFolder(path: string, places: FolderPlaces): string | undefined {
  const candidates = [places.folderOf?.(path), folderByName(path)];
  return candidates.find((folder) => folder !== undefined && mayBeOpened(folder, path, places));
}

/** A name with an extension is a file's. */
function folderByName(path: string): string {
  const slash = path.lastIndexOf("/");
  return /[^.]\.[A-Za-z]\w{0,7}$/.test(path.slice(slash + 1)) ? path.slice(0, slash) : path;
}

function mayBeOpened(folder: string, path: string, { home, roots }: FolderPlaces): boolean {
  const names = folder.split("/").filter((name) => name !== "");
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
