/**
 * Tells a response to someone who comes in the middle of it, or after it, or who reads more slowly than it is written:
 * from the log as far as it goes, no faster than it is read, then as it happens. Whoever falls behind goes on from the
 * log where they were. Nothing is told twice and nothing is left out, since the log gives every event the id that it had.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { RecordedEvent } from "../../call/index.js";
import type { TurnEvent } from "../client/protocol.js";
import { lastAt, turnStart } from "./event-id.js";
import { hearLive } from "./subscriber.js";
import type { Hearer, Telling } from "./subscriber.js";
import type { LiveResponse } from "./live-response.js";
import { ResponseReader } from "./response-reader.js";
import type { KnownEnds } from "./response-log.js";

export type Followed = {
  /** The events after this one, as they are recorded, until the signal aborts or the session is gone. */
  readonly follow: (after: number, signal: AbortSignal) => AsyncIterable<RecordedEvent>;
  /** The number of the last event on record, if there is any after this one. */
  readonly newest: (after: number) => Promise<number | undefined>;
  /** Where responses ended, beside what the log says. */
  readonly ends: () => KnownEnds;
  readonly hasSteps: boolean;
  /** The response that runs here, if one does, and the last event of it; not the session, which a slow reader would keep. */
  readonly running: () => { readonly response: LiveResponse; readonly seq: number } | undefined;
  /** Takes up a turn that nobody is at; somebody may be, or there may be none. */
  readonly takeUp: () => Promise<"taken" | "held" | "nothing">;
};

const LOOK_AGAIN_MILLISECONDS = 1_000;

const LEFT_BEHIND: TurnEvent = {
  event: "turn_stop",
  data: {
    stopReason: "error",
    error:
      "There is no more of this turn: its server has ended, or the session was deleted. Send the request again.",
  },
};

/** Comes back when all of the response that begins after the event `start` was told, or nobody listens any more. */
export async function followResponse(
  from: Followed,
  start: number,
  telling: Telling,
  hearer: Hearer,
): Promise<void> {
  const { signal, drained } = hearer;
  const reader = new ResponseReader(from, start);
  telling.tell([turnStart(start)]);
  while (!signal.aborted) {
    await drained();
    const newest = from.running()?.seq ?? (await from.newest(reader.seq)) ?? 0;
    if (newest > reader.seq) await readTo(newest, from, reader, telling, hearer);
    telling.tell(reader.pause());
    if (telling.isOver) return;
    const now = from.running();
    if (now?.response.start === start) {
      // Nothing is awaited between this look and the listening, so nothing is missed.
      if (now.seq <= reader.seq) {
        telling.tell(now.response.unwritten());
        await hearLive(now.response, telling, hearer, () => now.response.over());
      }
      if (telling.isOver) return;
      continue;
    }
    const taken = await from.takeUp();
    if (taken === "held") await wait(LOOK_AGAIN_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    // It may have ended in the very moment.
    if (taken === "nothing" && (await from.newest(reader.seq)) === undefined)
      return telling.tell([lastAt(Math.max(telling.seq, reader.seq, start + 1), LEFT_BEHIND)]);
  }
}

/** Tells what is on record up to the event `seq`, or what there is of it: the session may be deleted meanwhile. */
async function readTo(
  seq: number,
  from: Followed,
  reader: ResponseReader,
  telling: Telling,
  { signal, drained, isBehind }: Hearer,
): Promise<void> {
  const silence = new AbortController();
  const listen = () => setTimeout(() => silence.abort(), LOOK_AGAIN_MILLISECONDS);
  let patience = listen();
  try {
    for await (const recorded of from.follow(reader.seq, AbortSignal.any([signal, silence.signal]))) {
      telling.tell(reader.read(recorded));
      if (telling.isOver || recorded.seq >= seq) return;
      patience.refresh();
      if (!isBehind()) continue;
      // It is the reader who takes a while, and not the log that is silent.
      clearTimeout(patience);
      await drained();
      patience = listen();
    }
  } finally {
    clearTimeout(patience);
  }
}
