/**
 * One at a time between processes, for a short piece of work that does not wait: a lock file that only
 * one can create. One whose process has died is taken over at once; any other when the very same lock
 * was seen for `staleAfter`, measured by a clock that nobody can set. The work runs without a pause, so
 * a living owner holds it for milliseconds; one that was stopped meanwhile asks `isStillOurs` first.
 */
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorCode } from "../call/error-code.js";

/** Whether the lock is still the one that this work was started under. */
export type IsStillOurs = () => boolean;

export class FileLock {
  readonly #path: string;
  readonly #staleAfter: number;

  constructor(file: string, options: { readonly staleAfter?: number } = {}) {
    this.#path = `${file}.lock`;
    this.#staleAfter = options.staleAfter ?? 10_000;
  }

  async run<T>(work: (isStillOurs: IsStillOurs) => T): Promise<T> {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    for (let seen = { text: textOf(this.#path), since: performance.now() }; ;) {
      const done = this.tryRun(work);
      if (done) return done.result;
      const text = textOf(this.#path);
      if (text !== seen.text) seen = { text, since: performance.now() };
      if (performance.now() - seen.since > this.#staleAfter) takeAway(this.#path, text);
      // Unequal steps, or two that wait would meet again and again.
      await setTimeout(1 + Math.random() * 9);
    }
  }

  /** The same without waiting: undefined when another has it. */
  tryRun<T>(work: (isStillOurs: IsStillOurs) => T): { readonly result: T } | undefined {
    const ours = JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() });
    if (!create(this.#path, ours)) {
      const text = textOf(this.#path) ?? "";
      if (!ownerIsDead(text)) return undefined;
      takeAway(this.#path, text);
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

/** False when it is there already. */
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

/** A process id says something only on the machine that gave it. */
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
 * Removes a stale lock, and only that one: two may have found it stale, and the slower of them must not
 * remove the lock that the faster has made since. So the removal has a lock of its own.
 */
function takeAway(path: string, stale: string | undefined): void {
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

/** It is held for a few instructions: an old one belongs to a process that died right there. */
function isOld(guard: string): boolean {
  const stats = statSync(guard, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > 10_000;
}
