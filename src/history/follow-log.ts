/**
 * Following a session, the same in every ledger: look, hand out what is there, sleep until there is more.
 *
 * A follower holds a place in the log and a few events that it has still to hand out, nothing else.
 */
import type { RecordedEvent } from "../call/index.js";

/** How many events a look should give at most: what a follower that stops reading holds on to. */
export const LOOK_LIMIT = 100;

/** `log` is another one when the session was removed and begun again. */
export type LookedAt = { readonly log: unknown; readonly events: readonly RecordedEvent[] };

export type FollowableLog = {
  /** Some of the events after `after`; undefined when the session has none at all. */
  readonly look: (after: number) => LookedAt | undefined;
  /** Nothing may be appended unnoticed between a look and the sleep that follows it in the same turn. */
  readonly sleep: () => Promise<void>;
  readonly isOver: () => boolean;
};

export async function* followLog(
  { look, sleep, isOver }: FollowableLog,
  after: number,
): AsyncGenerator<RecordedEvent> {
  let seq = Math.max(0, after);
  let log: unknown;
  while (!isOver()) {
    const found = look(seq);
    // Removed: the place that this follower had in the log is gone with it.
    if (log !== undefined && found?.log !== log) return;
    log = found?.log;
    for (const recorded of found?.events ?? []) {
      if (isOver()) return;
      seq = recorded.seq;
      yield recorded;
    }
    if (!found || found.events.length === 0) await sleep();
  }
}
