/**
 * Replaces a settings file in one step: whoever reads it sees the old or the new one, also when we die
 * on the way. Only its owner can read it. The caller holds the file's lock, so a temporary file that is
 * found beside it was left by one who died.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** `isStillOurs` is asked last, for a lock that was taken from us while we slept. */
export function writeAtomically(path: string, text: string, isStillOurs: () => boolean): boolean {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftovers(path);
  const temporary = `${path}.${randomUUID()}${ENDING}`;
  try {
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!isStillOurs()) return false;
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(folder);
  return true;
}

const ENDING = ".tmp";

function removeLeftovers(path: string): void {
  const start = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(start) && name.endsWith(ENDING)) rmSync(join(dirname(path), name), { force: true });
  }
}

/** The new name is on the disk only when its folder is. */
function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch {
    // Windows opens no folders; the file itself is safe either way.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
