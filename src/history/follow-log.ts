/**
 * Follows a session, the same way in every ledger: reads the next events, yields them, waits for more.
 *
 * A follower whose reader pauses keeps only its position in the log and at most one page of events.
 */
import { checkOptions, FUNCTION, required } from "../call/check-options.js";
import type { RecordedEvent } from "../call/index.js";

/** The number of events that a follower reads at a time, and keeps while its reader pauses. */
export const FOLLOW_PAGE_LIMIT = 100;

/** `log` is another value when the session was removed and started again. */
export type LogPage = { readonly log: unknown; readonly events: readonly RecordedEvent[] };

type FollowableLog = {
  /** The next events after `after`; undefined when the session has no event at all. A remote store may be slow. */
  readonly readAfter: (after: number) => Promise<LogPage | undefined>;
  /** Wakes for each append or removal from this call on, so also during a read. */
  readonly listen: () => WakeUp;
  readonly isOver: () => boolean;
};

export async function* followLog(
  { readAfter, listen, isOver }: FollowableLog,
  after: number,
): AsyncGenerator<RecordedEvent> {
  let seq = Math.max(0, after);
  let log: unknown;
  while (!isOver()) {
    const wakeUp = listen();
    let found: LogPage | undefined;
    try {
      found = await readAfter(seq);
      // The session was removed, and this follower's position in the log with it.
      if (found ? log !== undefined && found.log !== log : seq > 0) return;
      if (!found || found.events.length === 0) await wakeUp.woken;
    } finally {
      wakeUp.stop();
    }
    log = found?.log;
    for (const recorded of found?.events ?? []) {
      if (isOver()) return;
      seq = recorded.seq;
      yield recorded;
    }
  }
}

/**
 * Wake-ups for the followers of a ledger: each listens for its session and for its abort signal.
 *
 * A follower listens before it reads new events, so an append during a slow read still wakes it.
 */
export class IdleFollowers {
  readonly #wakes = new Map<string | AbortSignal, Set<() => void>>();
  readonly #watchers = new Set<(sessionId: string | undefined) => void>();
  // One listener per signal, however many followers share it, since Node warns of a leak at the eleventh.
  readonly #onAbort = ({ target }: Event) => this.wake(target as AbortSignal);

  /** Listens from now on until the first wake of the session, of the signal or of all, or until `stop`. */
  listen(sessionId: string, signal: AbortSignal): WakeUp {
    // The promise runs its function at once, so `stop` is set.
    let stop: (() => void) | undefined;
    const woken = new Promise<void>((resolve) => {
      const wake = () => {
        this.#remove(sessionId, wake);
        if (this.#remove(signal, wake)) signal.removeEventListener("abort", this.#onAbort);
        resolve();
      };
      this.#add(sessionId, wake);
      this.#add(signal, wake);
      stop = wake;
    });
    signal.addEventListener("abort", this.#onAbort);
    return { woken, stop: () => stop?.() };
  }

  /** Calls back at each wake of a session, and without one at each wake of all. */
  watch(onChange: (sessionId: string | undefined) => void): () => void {
    if (typeof onChange !== "function") checkOptions("watch", { onChange }, { onChange: required(FUNCTION) });
    // A new function per watch, so that the same listener can watch twice.
    const watcher = (sessionId: string | undefined) => onChange(sessionId);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  wake(key: string | AbortSignal): void {
    for (const wake of this.#wakes.get(key) ?? []) wake();
    if (typeof key === "string") for (const watcher of this.#watchers) watcher(key);
  }

  wakeAll(): void {
    for (const wakes of this.#wakes.values()) for (const wake of wakes) wake();
    for (const watcher of this.#watchers) watcher(undefined);
  }

  get isEmpty(): boolean {
    return this.#wakes.size === 0 && this.#watchers.size === 0;
  }

  #add(key: string | AbortSignal, wake: () => void): void {
    const wakes = this.#wakes.get(key);
    if (wakes) wakes.add(wake);
    else this.#wakes.set(key, new Set([wake]));
  }

  /** Whether this was the last one under that key. */
  #remove(key: string | AbortSignal, wake: () => void): boolean {
    const wakes = this.#wakes.get(key);
    wakes?.delete(wake);
    return wakes?.size === 0 && this.#wakes.delete(key);
  }
}

export type WakeUp = {
  /** Resolves at the first wake, also at one before somebody awaits it. */
  readonly woken: Promise<void>;
  readonly stop: () => void;
};
