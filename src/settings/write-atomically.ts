/**
 * Replaces a settings file atomically: readers see the old or the new content, also when this process dies. Only its
 * owner can read it. The caller holds the file's lock, so any temporary file beside it was left by a dead process.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { withPath } from "../call/error-code.js";
import { createFolder } from "./create-folder.js";

/** `isStillOurs` is called last: another process may have taken over the lock while we were suspended. */
export function writeAtomically(path: string, text: string, isStillOurs: () => boolean): boolean {
  const folder = dirname(path);
  createFolder(folder);
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
  } catch (error) {
    throw withPath(error, path);
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

/** A rename is durable only when its folder is synced. */
function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch {
    // Windows cannot open folders; the file itself is synced already.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
