/**
 * Folders of the system that every contained command sees, read-only and without what not everybody may read. To ask
 * before a contained command names a place in them would keep nothing back: code that names none can read it too.
 */
import { isWithin } from "../../call/absolute-path.js";

export const SHOWN_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
];

/** Where programs keep data and settings of their own. Only in `/etc` is hidden what not everybody may read. */
const KEEPS_SETTINGS = ["/opt", "/usr/local/etc", "/usr/local/var"];

/** Whether a look at the path need not be asked about where it is contained. */
export const isShownPlace = (path: string): boolean =>
  SHOWN_FOLDERS.some((folder) => isWithin(path, folder)) &&
  !KEEPS_SETTINGS.some((folder) => isWithin(path, folder));

/** Names directly below the root, as systems and people choose them. */
const TOP_FOLDERS =
  /^\/(?:(?:applications|apps?|bin|boot|cdrom|code|data\d*|dev|efs|etc|export|gnu|home|lib\w*|library|media|mnt|mount|net|nfs|nix|opt|private|proc|projects?|repos?|root|run|sbin|scratch|shared?|snap|src|srv|storage|sys|system|tmp|users|usr|var|vol|volumes|work|workspaces?)(?:\/|$)|$)/i;

/**
 * Whether a word that a program takes may be a path from the root. Others are routes (`/api/users`), labels (`//...`)
 * or patterns. A wrong no costs a command that does not find its file: what it names is not there in the sandbox.
 */
export const mayBePath = (path: string): boolean => TOP_FOLDERS.test(path);
