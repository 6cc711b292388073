/**
 * Paths that reach any file through the links of a process: /proc/self/cwd is its working folder, /dev/fd/3 an open
 * file. Only that process knows where they lead, so the disk does not help either.
 */

/** The usual names of a program's open files; not paths below them. */
const OPEN_FILE = /^\/dev\/(?:std(?:in|out|err)|fd(?:\/\d+)?)$/;

const BELOW_OPEN_FILE = /^\/dev\/(?:std(?:in|out|err)|fd\/[^/]+)\//;

/** A process has them, and so has each of its threads. */
const OF_A_PROCESS = /^\/proc\/(?:.+\/)?(?:cwd|root|fd|exe|map_files)(?:\/|$)/;

/** `path` is absolute and as it is written: with its `..`, which after a link goes up from the link's target. */
export function isProcessPath(path: string): boolean {
  if (!/proc|dev/.test(path)) return false;
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (isSystem(names) && names.length > 1) return true;
    else names.pop();
  }
  const plain = `/${names.join("/")}`;
  if (OPEN_FILE.test(plain)) return false;
  return BELOW_OPEN_FILE.test(`${plain}/`) || OF_A_PROCESS.test(plain);
}

const isSystem = ([first]: readonly string[]): boolean => first === "proc" || first === "dev";
