/**
 * Tells a response to someone who comes in the middle of it, or after it: from the log as far as it goes, then as it
 * happens. Nothing is told twice and nothing is left out, since the log gives every event the id that it had.
 */
import { setTimeout as wait } from "node:timers/promises";
import { SessionBook } from "../call/index.js";
import type { RecordedEvent } from "../call/index.js";
import type { TurnEvent } from "./client/protocol.js";
import { isAfter, lastAt, turnStart } from "./event-id.js";
import type { EventId } from "./event-id.js";
import type { Listener } from "./live-response.js";
import type { RunningTurn } from "./running-turns.js";
import { TurnEvents } from "./turn-events.js";
import type { Told } from "./turn-events.js";
import { responseOf } from "./turn-log.js";
import type { KnownEnds } from "./turn-log.js";
import { recordedEnd, turnStop } from "./turn-stop.js";

export type Followed = {
  readonly readLog: () => Promise<readonly RecordedEvent[]>;
  /** Where responses ended, beside what the log says. */
  readonly ends: () => KnownEnds;
  readonly hasSteps: boolean;
  /** The response that runs here, if one does. */
  readonly running: () => RunningTurn | undefined;
  /** Takes up a turn that nobody is at; somebody may be, or there may be none. */
  readonly takeUp: () => Promise<"taken" | "held" | "nothing">;
};

export type Hearer = {
  readonly listener: Listener;
  /** Says that nobody listens any more. */
  readonly signal: AbortSignal;
  /** Comes when what was told is read. */
  readonly drained: () => Promise<void>;
};

const LOOK_AGAIN_MILLISECONDS = 1_000;
/** Events on record that are told before someone has read them. */
const MOST_AT_ONCE = 100;

const LEFT_BEHIND: TurnEvent = {
  event: "turn_stop",
  data: { stopReason: "error", error: "The turn ended with its server. Send the request again." },
};

/** Comes back when the response that holds `seq` was told to its end, all of it that is after `after`. */
export async function followResponse(
  from: Followed,
  seq: number,
  after: EventId | undefined,
  { listener, signal, drained }: Hearer,
): Promise<void> {
  let last = after ?? { seq: 0, part: -1 };
  const tellNew = (told: readonly Told[]) => {
    const fresh = told.filter((one) => isAfter(one, last));
    last = fresh.at(-1) ?? last;
    if (fresh.length > 0) listener(fresh);
  };
  while (!signal.aborted) {
    const live = from.running()?.response;
    // Subscribed before the log is read: what is told in between waits.
    const kept: Told[] = [];
    let hear: Listener = (told) => void kept.push(...told);
    const stop = live?.listen((told) => hear(told));
    try {
      const log = await from.readLog();
      const { told, isOver } = loggedResponse(log, seq, from);
      for (let start = 0; start < told.length && !signal.aborted; start += MOST_AT_ONCE) {
        tellNew(told.slice(start, start + MOST_AT_ONCE));
        await drained();
      }
      if (isOver) return;
      if (live) {
        tellNew(kept);
        hear = tellNew;
        await Promise.race([live.over(), aborted(signal)]);
        if (live.start < seq) return;
        continue;
      }
      const taken = await from.takeUp();
      if (taken === "nothing") return tellNew([lastAt(log.at(-1)?.seq ?? seq, LEFT_BEHIND)]);
      if (taken === "held") await wait(LOOK_AGAIN_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    } finally {
      stop?.();
    }
  }
}

/** What is on record of the response that holds `seq`. */
function loggedResponse(
  log: readonly RecordedEvent[],
  seq: number,
  { ends, hasSteps }: Pick<Followed, "ends" | "hasSteps">,
): { readonly told: readonly Told[]; readonly isOver: boolean } {
  const known = ends();
  const { start, end } = responseOf(log, seq, known);
  const book = new SessionBook(
    "",
    log.map(({ event }) => event),
  );
  const events = new TurnEvents(book, { hasSteps });
  const told: Told[] = [turnStart(start)];
  for (const recorded of log) {
    if (end && recorded.seq > end.seq) break;
    const one = events.read(recorded.event, recorded.seq);
    if (recorded.seq > start) told.push(...one);
    if (known.also.has(recorded.seq)) {
      const pause = events.pause(recorded.seq);
      if (recorded.seq > start) told.push(...pause);
    }
  }
  if (!end) return { told, isOver: false };
  told.push(lastAt(end.seq, turnStop(recordedEnd(end.event))));
  return { told, isOver: true };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
