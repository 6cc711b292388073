/**
 * Recognizes Toolgate's own files by what they are, whatever name leads to them: a hard link in the workspace, or a
 * folder that is mounted twice, as containers do with a home folder. The rules decide by names, so such a path gets the
 * name that they know.
 *
 * Most paths cost nothing: only where one of our files has a second name, or the file system that holds it is mounted a
 * second time, are the files themselves looked at. The folders directly in ours count too, and what lies below them.
 *
 * Invariant: device and inode together are one file. They are read as big integers, since some file systems count
 * beyond the exact range of a number.
 */
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../call/absolute-path.js";

/** How long a read of the disk stays valid: a step reads many paths within this time. */
const LOOK_MS = 200;
/** Beside a database, with a hard link of its own perhaps. */
const COMPANIONS = ["", "-wal", "-shm", "-journal"];
/** More files directly in one of our folders than there ever are. */
const MAX_ENTRIES = 2_000;

type Look = {
  readonly until: number;
  /** Our name of each of our files; undefined where no other name can lead to one. */
  readonly names: ReadonlyMap<string, string> | undefined;
  /** The identities of the folders that were met during this look. */
  readonly folders: Map<string, string | undefined>;
};

const looks = new WeakMap<readonly string[], Look>();

/** The name below `own` of what a real path leads to; undefined when it is none of ours. */
export function ownNameOf(realPath: string, own: readonly string[] = []): string | undefined {
  if (own.length === 0 || !realPath.startsWith("/")) return undefined;
  const { names, folders } = lookAt(own);
  if (!names) return undefined;
  const file = names.get(identityOf(realPath)?.id ?? "");
  if (file !== undefined) return file;
  for (let folder = dirname(realPath); ; folder = dirname(folder)) {
    if (!folders.has(folder)) folders.set(folder, identityOf(folder)?.id);
    const known = names.get(folders.get(folder) ?? "");
    if (known !== undefined) return join(known, realPath.slice(folder.length));
    if (folder === "/") return undefined;
  }
}

function lookAt(own: readonly string[]): Look {
  const now = performance.now();
  const seen = looks.get(own);
  if (seen && now < seen.until) return seen;
  const look = { until: now + LOOK_MS, names: namesOf(own), folders: new Map() };
  looks.set(own, look);
  return look;
}

function namesOf(own: readonly string[]): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  let isLinked = false;
  const add = (path: string, found: Identity | undefined): void => {
    if (!found) return;
    if (!found.isFolder && found.links > 1) isLinked = true;
    if (!names.has(found.id)) names.set(found.id, path);
  };
  for (const place of own) {
    for (const end of COMPANIONS) add(place + end, identityOf(place + end, statSync));
    // A link among our files may lead to a folder with anything in it, so it stands for itself.
    for (const name of entriesOf(place)) add(join(place, name), identityOf(join(place, name)));
  }
  return isLinked || mayBeMountedTwice(own) ? names : undefined;
}

type Identity = { readonly id: string; readonly isFolder: boolean; readonly links: number };

function identityOf(path: string, look: typeof lstatSync = lstatSync): Identity | undefined {
  try {
    const stats = look(path, { bigint: true });
    return { id: `${stats.dev}:${stats.ino}`, isFolder: stats.isDirectory(), links: Number(stats.nlink) };
  } catch {
    // The path leads nowhere, or we may not see it: then reading it fails as well.
    return undefined;
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, MAX_ENTRIES);
  } catch {
    return [];
  }
}

/** Other systems than Linux have no such list, and some show a folder in two places by themselves. */
function mayBeMountedTwice(own: readonly string[]): boolean {
  if (process.platform !== "linux") return true;
  const mounts = readMounts();
  if (!mounts) return true;
  return own.some((place) => {
    const holding = mounts.filter(({ at }) => isWithin(place, at));
    // The deepest holds it, and of several at one place the last.
    const [first] = holding.toSorted((one, other) => other.at.length - one.at.length);
    const top = holding.findLast(({ at }) => at === first?.at);
    return mounts.filter(({ device }) => device === top?.device).length > 1;
  });
}

type Mount = { readonly device: string; readonly at: string };

function readMounts(): readonly Mount[] | undefined {
  try {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return lines.flatMap((line) => {
      const [, , device, , at] = line.split(" ");
      return device !== undefined && at !== undefined ? [{ device, at: unescaped(at) }] : [];
    });
  } catch {
    return undefined;
  }
}

/** The kernel writes blanks and the like as octal numbers. */
const unescaped = (path: string): string =>
  path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
