/**
 * A lock between processes, for short synchronous work: a lock file that only one process can create. The lock of a dead
 * process is taken over at once; any other lock when it stayed the same for `staleAfterMs`, by a monotonic clock. The work
 * never waits, so a live owner holds the lock for milliseconds; an owner that was suspended asks `isStillOurs` first.
 */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorCode } from "../call/error-code.js";
import { createFolder } from "./create-folder.js";

/** True while this work still holds the lock. */
export type IsStillOurs = () => boolean;

export class FileLock {
  readonly #path: string;
  readonly #staleAfterMs: number;

  constructor(file: string, options: { readonly staleAfterMs?: number } = {}) {
    this.#path = `${file}.lock`;
    this.#staleAfterMs = options.staleAfterMs ?? 10_000;
  }

  async run<T>(work: (isStillOurs: IsStillOurs) => T): Promise<T> {
    createFolder(dirname(this.#path));
    for (let seen = { text: textOf(this.#path), since: performance.now() }; ;) {
      const done = this.tryRun(work);
      if (done) return done.result;
      const text = textOf(this.#path);
      if (text !== seen.text) seen = { text, since: performance.now() };
      if (performance.now() - seen.since > this.#staleAfterMs) removeStale(this.#path, text);
      // Jitter: two waiting processes must not collide again and again.
      await setTimeout(1 + Math.random() * 9);
    }
  }

  /** The same without waiting: undefined when another process holds the lock. */
  tryRun<T>(work: (isStillOurs: IsStillOurs) => T): { readonly result: T } | undefined {
    const ours = JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() });
    if (!create(this.#path, ours)) {
      const text = textOf(this.#path) ?? "";
      if (!ownerIsDead(text)) return undefined;
      removeStale(this.#path, text);
      if (!create(this.#path, ours)) return undefined;
    }
    const isStillOurs = () => textOf(this.#path) === ours;
    try {
      return { result: work(isStillOurs) };
    } finally {
      if (isStillOurs()) rmSync(this.#path, { force: true });
    }
  }
}

/** False when the file exists already. */
function create(path: string, text: string): boolean {
  try {
    const descriptor = openSync(path, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
    } catch (thrown) {
      rmSync(path, { force: true });
      throw thrown;
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** A process id is valid only on its own machine. */
function ownerIsDead(text: string): boolean {
  const owner = /^\{"pid":(\d+),"host":("(?:[^"\\]|\\.)*"),/.exec(text);
  if (!owner || owner[2] !== JSON.stringify(hostname())) return false;
  try {
    process.kill(Number(owner[1]), 0);
    return false;
  } catch (thrown) {
    return errorCode(thrown) === "ESRCH";
  }
}

/**
 * Removes a stale lock, and only that one: two processes may find it stale, and the slower one must not remove the new
 * lock of the faster one. So the removal has its own lock.
 */
function removeStale(path: string, stale: string | undefined): void {
  const guard = `${path}.takeover`;
  if (!create(guard, "")) {
    if (isOld(guard)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (textOf(path) === stale) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/** A guard lives for a few instructions: an old one was left by a process that died there. */
function isOld(guard: string): boolean {
  const stats = statSync(guard, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > 10_000;
}
