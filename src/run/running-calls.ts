/** The calls that run in this process, each with its own way to be stopped, and which of them may run side by side. */
import { linkAbort } from "./linked-abort.js";
import type { LinkedAbort } from "./linked-abort.js";
import { homedir } from "node:os";
import type { Intent } from "../policy/index.js";
import { readingParts } from "../policy/reading-parts.js";

type Running = { readonly stop: LinkedAbort; readonly ended: Promise<void> };

/** The reason of a cancel for which nobody gave one. */
export const CANCELLED = "it was cancelled.";

/** The reason of a requested cancel. */
export class Cancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "AbortError";
  }
}

export class RunningCalls {
  readonly #running = new Map<string, Running>();
  #wake: (() => void) | undefined;
  #wakes = 0;

  has(toolCallId: string): boolean {
    return this.#running.has(toolCallId);
  }

  get size(): number {
    return this.#running.size;
  }

  /** How often something has happened: what was true at one count may no longer be at the next. */
  get wakes(): number {
    return this.#wakes;
  }

  /**
   * Runs the task, unless the call runs already. Rejects with what the task throws. The task's own way to be stopped
   * goes with the signal; the task may use it too.
   */
  start(toolCallId: string, signal: AbortSignal, task: (stop: LinkedAbort) => Promise<void>): Promise<void> {
    const known = this.#running.get(toolCallId);
    if (known) return known.ended;
    const { stop, unlink } = linkAbort(signal);
    const ended = task(stop).finally(() => {
      unlink();
      this.#running.delete(toolCallId);
      this.wake();
    });
    // A waiting caller gets the error; without one, the rejection must not be unhandled.
    ended.catch(() => undefined);
    this.#running.set(toolCallId, { stop, ended });
    return ended;
  }

  stopAll(reason: unknown): void {
    for (const { stop } of this.#running.values()) stop.stop(reason);
  }

  /** False when it does not run. */
  stop(toolCallId: string, reason: unknown): boolean {
    const running = this.#running.get(toolCallId);
    running?.stop.stop(reason);
    return running !== undefined;
  }

  /**
   * Waits until the call has ended, and rejects with its task's error; returns at once for a call that does not run.
   */
  async ended(toolCallId: string): Promise<void> {
    await this.#running.get(toolCallId)?.ended;
  }

  /** Returns when a call has ended or `wake` was called since this count of `wakes`. */
  async somethingHappens(since: number): Promise<void> {
    if (this.#wakes !== since) return;
    await new Promise<void>((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        others?.();
        resolve();
      };
    });
  }

  wake(): void {
    this.#wakes += 1;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

type Group = "reading commands" | "other commands" | "changes";

export const changesFiles = ({ command, paths }: Intent): boolean =>
  command === undefined && paths.some(({ access }) => access !== "read" && access !== "search");

/** Undefined for calls that only read files, which hold each file open only while they read it. */
export function groupOf(intent: Intent, roots: readonly string[]): Group | undefined {
  if (intent.command !== undefined)
    return readingParts(intent, { roots, home: homedir() }) ? "reading commands" : "other commands";
  return changesFiles(intent) ? "changes" : undefined;
}

type Waiting = { readonly group: string; readonly start: () => void };

/** More commands wait: each costs processes and descriptors, of which a system gives only so many. */
const MAX_COMMANDS = 64;

const mostOf = (group: string | undefined): number =>
  group === "reading commands" || group === "other commands" ? MAX_COMMANDS : Infinity;

/**
 * Which calls of a session may run side by side. The paths of a command are checked before it starts and used while
 * it runs, so nothing that changes names may run meanwhile: a link that is moved into a checked path would lead the
 * command elsewhere. Calls of one group run together, calls of two groups one group after the other.
 */
export class RunGroups {
  #group: string | undefined;
  #running = 0;
  readonly #waiting: Waiting[] = [];

  /** Comes back at once with false when the call may start, and with true once it may after a wait or an abort. */
  async enter(group: string, signal: AbortSignal): Promise<boolean> {
    const isNext = this.#group === group && this.#waiting.length === 0 && this.#running < mostOf(group);
    if (this.#running === 0 || isNext) {
      this.#group = group;
      this.#running += 1;
      return false;
    }
    await new Promise<void>((resolve) => {
      const waiting: Waiting = { group, start: resolve };
      this.#waiting.push(waiting);
      const leaveQueue = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at === -1) return;
        this.#waiting.splice(at, 1);
        // An aborted call goes on only to be ended, and is counted so that it can leave like the others.
        this.#running += 1;
        resolve();
      };
      if (signal.aborted) leaveQueue();
      else signal.addEventListener("abort", leaveQueue, { once: true });
    });
    return true;
  }

  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#group = this.#waiting[0]?.group;
    while (this.#waiting[0]?.group === this.#group && this.#running < mostOf(this.#group)) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      next.start();
    }
  }
}
