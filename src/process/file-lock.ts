/**
 * A lock between processes: a file that only one process can create, with the identity of that process in it. The lock of
 * a process that is gone is taken over at once. With `staleAfterMs`, any other lock is taken over when it stayed the same
 * for that long, by a monotonic clock: for short work, whose owner asks `isStillOurs` when it may have been suspended.
 */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { errorCode, withPath } from "../call/error-code.js";
import { identityOf, isGone } from "./process-identity.js";
import type { ProcessIdentity } from "./process-identity.js";

/** True while this work still holds the lock. */
export type IsStillOurs = () => boolean;

export type FileLockOptions = {
  /** Only the lock of a process that is gone is taken over when left out. */
  readonly staleAfterMs?: number;
};

export type WaitOptions = {
  /** Milliseconds since 1970; without it the wait has no end. */
  readonly deadline?: number;
};

/** Jitter: two waiting processes must not collide again and again. */
const MIN_POLL_MS = 1;
const MAX_POLL_MS = 10;

export class FileLock {
  readonly #path: string;
  readonly #staleAfterMs: number;

  /** The lock's own file has `.lock` behind the name. Its folder must be there. */
  constructor(file: string, { staleAfterMs = Infinity }: FileLockOptions = {}) {
    this.#path = `${file}.lock`;
    this.#staleAfterMs = staleAfterMs;
  }

  /** Throws LockTimeout when the deadline passes first. */
  async run<T>(
    work: (isStillOurs: IsStillOurs) => T | Promise<T>,
    { deadline = Infinity }: WaitOptions = {},
  ): Promise<T> {
    for (let seen = { text: textOf(this.#path), since: performance.now() }; ;) {
      const held = this.#take();
      if (held) {
        try {
          return await work(held.isStillOurs);
        } finally {
          held.release();
        }
      }
      if (Date.now() > deadline) throw new LockTimeout(this.#path);
      const text = textOf(this.#path);
      if (text !== seen.text) seen = { text, since: performance.now() };
      if (performance.now() - seen.since > this.#staleAfterMs) removeStale(this.#path, text);
      await setTimeout(MIN_POLL_MS + Math.random() * (MAX_POLL_MS - MIN_POLL_MS));
    }
  }

  /** Short work without waiting: undefined when another process holds the lock. */
  tryRun<T>(work: (isStillOurs: IsStillOurs) => T): { readonly result: T } | undefined {
    const held = this.#take();
    if (!held) return undefined;
    try {
      return { result: work(held.isStillOurs) };
    } finally {
      held.release();
    }
  }

  #take(): { readonly isStillOurs: IsStillOurs; release(): void } | undefined {
    const ours = JSON.stringify({ ...identityOf(process.pid), token: randomUUID() });
    if (!create(this.#path, ours)) {
      const text = textOf(this.#path) ?? "";
      // Without a text: its process was killed before it wrote one, or is about to.
      if (text === "" ? !isOld(this.#path) : !isOwnerGone(text)) return undefined;
      removeStale(this.#path, text);
      if (!create(this.#path, ours)) return undefined;
    }
    const isStillOurs = (): boolean => textOf(this.#path) === ours;
    return {
      isStillOurs,
      release: () => {
        if (isStillOurs()) rmSync(this.#path, { force: true });
      },
    };
  }
}

export class LockTimeout extends Error {
  readonly code = "LOCK_TIMEOUT";

  constructor(path: string) {
    super(`Another process did not release ${path} in time.`);
    this.name = "LockTimeout";
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
    throw withPath(thrown, path);
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote a text with its identity is gone. Any other text says nothing. */
export function isOwnerGone(text: string): boolean {
  try {
    // Checked below: another program may have written it.
    const { machine, pid, startTick } = JSON.parse(text) as Partial<ProcessIdentity>;
    return (
      typeof machine === "string" &&
      typeof pid === "number" &&
      isGone({ machine, pid, startTick: typeof startTick === "number" ? startTick : 0 })
    );
  } catch {
    return false;
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

/** A guard and an empty lock live for a few instructions: an old one was left by a process that died there. */
function isOld(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > 10_000;
}
