/** The effects of a path that are plain without looking at the disk; the path rules resolve it. */
import { isSystemFact } from "../paths/open-places.js";
import { isProtectedName } from "../paths/protected-paths.js";
import type { Effects } from "./program.js";

const HARMLESS_DEVICES = /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** File names, or patterns of them, that people keep keys and passwords under. */
export const SECRET_NAMES =
  /(?:^|\/)\*?\.env\b|id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p12|pfx|keystore|jks|kdbx)$|credential|secret|\.npmrc|\.netrc|\.pgpass|htpasswd|shadow$|wallet/i;

/** Ends a doubt about the read file. The effects of the program are known all the same. */
export const SYSTEM_WINDOW = " is not a file but a window into the system";

/** Ends a doubt about a program that usually prints and here edits the files that its words name. */
const REWRITES = "rewrites its files in place";

/** The doubts about effects that are not listed. The files that a program rewrites are among its writes. */
export const unclearDoubts = ({ doubts }: { readonly doubts: readonly string[] }): readonly string[] =>
  doubts.filter((doubt) => !doubt.endsWith(REWRITES));

/** Stands for a thing that is no file of the workspace: on another machine, or among the system's packages. */
export const ELSEWHERE_PLACE = "(elsewhere)";

/** A path that is plainly one, and may lead out of the folder: from the root, from a home, or with a `..` in it. */
export const mayLeadOut = (word: string): boolean => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word);

/** The paths that a path rule should judge: not standard input, and no device that holds nothing. */
export function plainPaths(words: readonly string[]): string[] {
  return words.filter((word) => word !== "" && word !== "-" && !HARMLESS_DEVICES.test(word));
}

/** Whether the path, or the part behind a colon as in git's `commit:file`, is a secret file. */
export const isSecretFile = (path: string): boolean =>
  [path, path.slice(path.lastIndexOf(":") + 1)].some((one) => one !== "" && isProtectedName(one, "read"));

export function pathDoubts(effects: Effects): string[] {
  const { reads = [], moves = [], editsBelow = [] } = effects;
  const writes = [...(effects.writes ?? []), ...editsBelow];
  const deletes = [...(effects.deletes ?? []), ...moves];
  const doubts: string[] = [];
  const looked = reads.filter((path) => !isSystemFact(path));
  for (const path of plainPaths([...looked, ...writes, ...deletes])) {
    if (/^\/+(?:\.\/+)*(?:proc|dev|sys)(?:\/|$)/.test(path) || /\.\.\/+(?:proc|dev|sys)\//.test(path)) {
      doubts.push(`"${path}"${SYSTEM_WINDOW}`);
    }
    if (/^\/+dev\/+(?:tcp|udp)\//.test(path)) doubts.push(`"${path}" is a network connection`);
  }
  doubts.push(...reads.filter(isSecretFile).map((path) => `"${path}" holds secrets`));
  const changed = [
    ...writes.map((path) => [path, "write"] as const),
    ...deletes.map((path) => [path, "delete"] as const),
  ];
  for (const [path, access] of changed)
    if (path !== "" && isProtectedName(path, access))
      doubts.push(`"${path}" steers what runs later, or holds secrets`);
  for (const path of deletes) {
    if (isCatastrophic(path)) doubts.push(`deleting "${path}" takes away far more than one thing`);
  }
  return doubts;
}

/** The root, a home, the working directory, anything at or above it, and the first level below the root. */
function isCatastrophic(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const kept: string[] = [];
  for (const part of parts) {
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else kept.push(part);
  }
  const last = parts.at(-1);
  if (kept.length === 0 || last === ".." || kept.at(-1) === "..") return true;
  if (/^~[^/]*$/.test(kept.join("/"))) return true;
  if (/^[*?.]+$/.test(last ?? "")) return true;
  if (kept.at(-1) === ".git") return true;
  return path.startsWith("/") && (kept.length === 1 || (kept.length === 2 && kept[0] === "home"));
}
