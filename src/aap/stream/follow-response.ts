/**
 * Sends a response to a client that subscribes in the middle of it, or after it, or that reads more slowly than it is
 * written: from the log as far as that goes, no faster than the client reads, then live. A client that falls behind
 * continues from the log where it was. No event is sent twice or left out, since the log gives each the id that it had live.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { RecordedEvent } from "../../call/index.js";
import type { RedactionPattern } from "../../history/index.js";
import type { TurnEvent } from "../client/protocol.js";
import type { LiveResponse } from "./live-response.js";
import type { ExtraEnds } from "./response-log.js";
import { ResponseReader } from "./response-reader.js";
import { lastEventAt, turnStartAfter } from "./stream-event.js";
import { deliverLive } from "./subscriber.js";
import type { Subscriber, Subscription } from "./subscriber.js";

export type ResponseSource = {
  /** The events after this one, as they are recorded, until the signal aborts or the session is deleted. */
  readonly follow: (after: number, signal: AbortSignal) => AsyncIterable<RecordedEvent>;
  /** The number of the last event on record, if there is any after this one. */
  readonly newest: (after: number) => Promise<number | undefined>;
  /** The ends of responses that the log does not have. */
  readonly ends: () => ExtraEnds;
  readonly hasSteps: boolean;
  readonly redactPatterns: readonly RedactionPattern[];
  /** The response that runs here, and its last event; not the session, which a slow reader would keep in memory. */
  readonly running: () => { readonly response: LiveResponse; readonly seq: number } | undefined;
  /** Resumes a turn that no process runs. "busy": some process runs it; "none": there is no turn to resume. */
  readonly resume: () => Promise<"resumed" | "busy" | "none">;
};

const RECHECK_MS = 1_000;

const ABANDONED: TurnEvent = {
  event: "turn_stop",
  data: {
    stopReason: "error",
    error:
      "There is no more of this turn: its server has ended, or the session was deleted. Send the request again.",
  },
};

/** Resolves when the whole response that begins after the event `start` was sent, or the client hangs up. */
export async function followResponse(
  source: ResponseSource,
  start: number,
  subscription: Subscription,
  subscriber: Subscriber,
): Promise<void> {
  const { signal, drained } = subscriber;
  const reader = new ResponseReader(source, start);
  subscription.send([turnStartAfter(start)]);
  const isGone = () => signal?.aborted === true;
  while (!isGone()) {
    await drained();
    const newest = source.running()?.seq ?? (await source.newest(reader.seq)) ?? 0;
    if (newest > reader.seq) await sendUpTo(newest, source, reader, subscription, subscriber);
    subscription.send(reader.pause());
    if (subscription.isOver) return;
    const now = source.running();
    if (now?.response.start === start) {
      // Nothing is awaited between this check and the subscription, so no event is missed.
      if (now.seq <= reader.seq) {
        subscription.send(now.response.unwritten());
        await deliverLive(now.response, subscription, subscriber, () => now.response.over());
      }
      if (subscription.isOver) return;
      continue;
    }
    const resumed = await source.resume();
    if (resumed === "busy") await wait(RECHECK_MS, undefined, signal && { signal }).catch(() => undefined);
    // The turn may have ended at this very moment.
    if (resumed === "none" && (await source.newest(reader.seq)) === undefined)
      return subscription.send([lastEventAt(Math.max(subscription.seq, reader.seq, start + 1), ABANDONED)]);
  }
}

/** Sends the recorded events up to `seq`, or fewer: the session may be deleted meanwhile. */
async function sendUpTo(
  seq: number,
  source: ResponseSource,
  reader: ResponseReader,
  subscription: Subscription,
  { signal, drained, isBehind }: Subscriber,
): Promise<void> {
  const silence = new AbortController();
  const ends = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const startTimer = () => setTimeout(() => silence.abort(), RECHECK_MS);
  let timer = startTimer();
  try {
    for await (const recorded of source.follow(reader.seq, ends)) {
      subscription.send(reader.read(recorded));
      if (subscription.isOver || recorded.seq >= seq) return;
      timer.refresh();
      if (!isBehind()) continue;
      // The client is slow, not the log silent.
      clearTimeout(timer);
      await drained();
      timer = startTimer();
    }
  } finally {
    clearTimeout(timer);
  }
}
