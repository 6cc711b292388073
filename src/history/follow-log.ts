/**
 * Follows a session, the same way in every ledger: reads the next events, yields them, waits for more.
 *
 * A follower whose reader pauses keeps only its position in the log and at most one page of events.
 */
import type { RecordedEvent } from "../call/index.js";
import type { WakeUp } from "./idle-followers.js";

/** The number of events that a follower reads at a time, and keeps while its reader pauses. */
export const FOLLOW_PAGE_LIMIT = 100;

/** `log` is another value when the session was removed and started again. */
export type LogPage = { readonly log: unknown; readonly events: readonly RecordedEvent[] };

export type FollowableLog = {
  /** The next events after `after`; undefined when the session has no event at all. A remote store may be slow. */
  readonly look: (after: number) => Promise<LogPage | undefined>;
  /** Wakes for each append or removal from this call on, so also while a look is pending. */
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
