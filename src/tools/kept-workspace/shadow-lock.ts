/**
 * One process at a time works on a shadow, and commands that run side by side in one workspace know of each other.
 *
 * Each command that was kept and has not ended has a file with the identity of its process, its window. A command that
 * starts while another window is open marks both: nobody can tell which of the two changed a file.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileLock, isOwnerGone, LockTimeout } from "../../process/file-lock.js";
import { identityOf } from "../../process/process-identity.js";
import { KeepFailed } from "./shadow-git.js";

const MAX_EMPTY_MS = 10_000;
const SHARED = ".shared";

/** Runs the task alone. Throws KeepFailed when another process does not release the lock in time. */
export async function withLock<T>(folder: string, deadline: number, task: () => Promise<T>): Promise<T> {
  try {
    return await new FileLock(join(folder, "shadow")).run(task, { deadline });
  } catch (error) {
    if (error instanceof LockTimeout) throw new KeepFailed("time", "another process is at work");
    throw error;
  }
}

/** Whether the process that wrote the file is gone. A file without content may be about to be written. */
function isLeft(file: string): boolean {
  try {
    const text = readFileSync(file, "utf8");
    return text === "" ? Date.now() - statSync(file).mtimeMs > MAX_EMPTY_MS : isOwnerGone(text);
  } catch {
    return false;
  }
}

/** To be called with the lock. Returns the window's name. */
export function openWindow(folder: string): string {
  const windows = join(folder, "windows");
  mkdirSync(windows, { recursive: true, mode: 0o700 });
  const others = openWindows(folder);
  const name = randomUUID();
  writeFileSync(join(windows, name), JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
  const marked = others.length === 0 ? [] : [...others, name];
  for (const one of marked) writeFileSync(join(windows, `${one}${SHARED}`), "", { mode: 0o600 });
  return name;
}

/** Returns whether another command ran at the same time. */
export function closeWindow(folder: string, name: string): boolean {
  const path = join(folder, "windows", name);
  const isShared = existsSync(`${path}${SHARED}`);
  rmSync(path, { force: true });
  rmSync(`${path}${SHARED}`, { force: true });
  return isShared;
}

/** Windows of processes that are gone are removed. */
export function openWindows(folder: string): readonly string[] {
  const windows = join(folder, "windows");
  const names = existsSync(windows) ? readdirSync(windows).filter((name) => !name.endsWith(SHARED)) : [];
  return names.filter((name) => {
    if (!isLeft(join(windows, name))) return true;
    closeWindow(folder, name);
    return false;
  });
}
