/**
 * One process at a time works on a shadow, and commands that run side by side in one workspace know of each other.
 *
 * The lock is a file with the identity of its process; one of a process that is gone is removed. Each command that was
 * kept and has not ended has a file too, its window. A command that starts while another window is open marks both:
 * nobody can tell which of the two changed a file.
 */
import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorCode } from "../../call/error-code.js";
import { identityOf, isGone } from "../../process/process-identity.js";
import type { ProcessIdentity } from "../../process/process-identity.js";
import { KeepFailed } from "./shadow-git.js";

const POLL_MS = 20;
const MAX_EMPTY_MS = 10_000;
const SHARED = ".shared";

/** Runs the task alone. Throws KeepFailed when another process does not release the lock in time. */
export async function withLock<T>(folder: string, deadline: number, task: () => Promise<T>): Promise<T> {
  const file = join(folder, "lock");
  while (!take(file)) {
    if (Date.now() > deadline) throw new KeepFailed("time", "another process is at work");
    await setTimeout(POLL_MS);
  }
  try {
    return await task();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify(identityOf(process.pid)), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    if (isLeft(file)) removeLeft(file);
    return false;
  }
}

/** Another process may do the same and have taken the lock by now: then its lock is put back. */
function removeLeft(file: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (!isLeft(aside)) linkSync(aside, file);
  } catch {
    // The other process was faster.
  }
  rmSync(aside, { force: true });
}

/** Whether the process that wrote the file is gone. A file without content may be about to be written. */
function isLeft(file: string): boolean {
  try {
    const text = readFileSync(file, "utf8");
    if (text === "") return Date.now() - statSync(file).mtimeMs > MAX_EMPTY_MS;
    // Written by `take` and `openWindow` alone.
    return isGone(JSON.parse(text) as ProcessIdentity);
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
