/**
 * A folder of its own for the temporary files of each session, below the system's temporary folder.
 *
 * Invariants: only this user can enter it (0700, owner checked, no link), so nobody else can put anything into it or
 * in its way. Its path is the same in every process that opens the session. The first command makes the folder; it is
 * removed with the session, or when no command has run in the session for MAX_UNUSED_MS.
 */
import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, rmdir, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { errorCode } from "../../call/error-code.js";
import { isProtectedFile } from "../search/is-protected-file.js";

export const MAX_UNUSED_MS = 3 * 86_400_000;

const userId = (): number => process.getuid?.() ?? 0;

/** Where the scratch folder of a session is or will be; undefined when this system has no safe place for it. */
export async function scratchPath(
  sessionId: string,
  { root, own = [] }: { readonly root: string; readonly own?: readonly string[] },
): Promise<string | undefined> {
  const base = await baseFolder(tmpdir());
  if (base === undefined) return undefined;
  const path = join(base, `${nameOf(sessionId)}-${nameOf(root)}`);
  // The usual places need no check of the protected names, which costs a session's opening 20 ms.
  const isUsual = USUAL.test(base) && !own.some((one) => path.startsWith(one));
  return isUsual || !isProtectedFile(path, own, "write") ? path : undefined;
}

const USUAL = /^\/(?:private\/)?(?:var\/)?tmp\/[^/]+$/;

/** Makes the folder when it is not there, and notes that it is used. Throws when something else is in its place. */
export async function makeScratch(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700, recursive: true });
  if (!(await isPrivate(path))) throw new Error(`${path} is not a folder that only this user can enter`);
  const now = new Date();
  await utimes(path, now, now);
  const base = dirname(path);
  if (unswept.delete(base)) void sweepScratch(base);
}

/** Removes the folder unless files are left in it. */
export async function removeEmptyScratch(path: string): Promise<void> {
  await rmdir(path).catch(() => undefined);
}

/** Removes what sessions left there that no longer exist. */
export async function removeScratch(sessionIds: readonly string[]): Promise<void> {
  const base = sessionIds.length === 0 ? undefined : await baseFolder(tmpdir());
  if (base === undefined) return;
  const starts = sessionIds.map((sessionId) => `${nameOf(sessionId)}-`);
  const names = await readdir(base).catch(() => []);
  const left = names.filter((name) => starts.some((start) => name.startsWith(start)));
  await Promise.all(left.map((name) => removed(join(base, name))));
}

/** Removes the folders that have not been used for long: those of old sessions, and of processes that were killed. */
export async function sweepScratch(base: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(base).catch(() => [])) {
    const path = join(base, name);
    const modified = (await lstat(path).catch(() => undefined))?.mtimeMs;
    if (modified !== undefined && now - modified > MAX_UNUSED_MS) await removed(path);
  }
}

/** Files in it may belong to nobody who can remove them: that is no reason to fail. */
const removed = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true }).catch(() => undefined);

const nameOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Swept when this process first makes a folder there: a session that runs no command need not look at old folders. */
const unswept = new Set<string>();

/** The base folder for each value that TMPDIR has had in this process. */
const bases = new Map<string, Promise<string | undefined>>();

function baseFolder(temporary: string): Promise<string | undefined> {
  const known = bases.get(temporary) ?? openBase(temporary).catch(() => undefined);
  bases.set(temporary, known);
  return known;
}

async function openBase(temporary: string): Promise<string | undefined> {
  const parent = await realpath(temporary);
  const usual = join(parent, `toolgate-${userId()}`);
  await mkdir(usual, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
  // Somebody else may have taken the name. A new one cannot be foreseen, and other processes will not find it.
  const base = (await isPrivate(usual)) ? usual : await mkdtemp(`${usual}-`);
  if (base === usual) unswept.add(base);
  return base;
}

async function isPrivate(path: string): Promise<boolean> {
  const info = await lstat(path);
  return info.isDirectory() && info.uid === userId() && (info.mode & 0o077) === 0;
}
