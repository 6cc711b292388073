/**
 * Following a session, the same in every ledger: read what is there, yield it, wait until there is more.
 *
 * A follower that its reader does not pull keeps a position in the log and at most one page of events, nothing else.
 */
import type { RecordedEvent } from "../call/index.js";
import type { WakeUp } from "./idle-followers.js";

/** How many events a follower reads at a time: all that it holds while its reader pauses. */
export const FOLLOW_PAGE_LIMIT = 100;

/** `log` is another value when the session was removed and begun again. */
export type LogPage = { readonly log: unknown; readonly events: readonly RecordedEvent[] };

export type FollowableLog = {
  /** The next events after `after`; undefined when the session has none at all. A remote store takes its time. */
  readonly look: (after: number) => Promise<LogPage | undefined>;
  /** Wakes for anything appended or removed from this call on, so also while a look is under way. */
  readonly listen: () => WakeUp;
  readonly isOver: () => boolean;
};

export async function* followLog(
  { look, listen, isOver }: FollowableLog,
  after: number,
): AsyncGenerator<RecordedEvent> {
  let seq = Math.max(0, after);
  let log: unknown;
  while (!isOver()) {
    const wakeUp = listen();
    let found: LogPage | undefined;
    try {
      found = await look(seq);
      // The session was removed, and this follower's position in the log with it.
      if (log !== undefined && found?.log !== log) return;
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
