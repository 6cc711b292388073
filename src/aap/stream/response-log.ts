/**
 * Where responses begin and end in a session's log. A response has everything since the one before it ended: that is
 * where the turn was parked or stopped. Where a user goes on while calls are open, the old turn stops in the middle of
 * a response; a note in the log says so. The same notes carry the keys of requests.
 */
import type { RecordedEvent, SessionEvent, SessionInfo } from "../../call/index.js";
import { withoutSeed } from "../sessions/seed-events.js";
import type { SessionConfig } from "../sessions/session-config.js";

/** Recorded of a request before anything of it counts. */
export type RequestNote = {
  /** The request's `Idempotency-Key`, and a hash of its body. */
  readonly key?: string;
  readonly body?: string;
  /** The request stops the turn that was open, and starts another. */
  readonly endsTurn?: true;
};

export const isEmptyNote = (note: RequestNote): boolean => Object.keys(note).length === 0;

/** The session's settings from here on, and the note of the request that came with them. */
export function requestEvent(
  info: SessionInfo,
  config: SessionConfig,
  note: RequestNote,
  at: number,
): SessionEvent {
  const { aapRequest: _before, ...meta } = withoutSeed(info._meta);
  const aapRequest = !isEmptyNote(note) && { aapRequest: note };
  return { type: "info-changed", at, info: { ...info, _meta: { ...meta, aap: config, ...aapRequest } } };
}

/** Undefined for events without a note. */
function noteIn(event: SessionEvent): RequestNote | undefined {
  if (event.type !== "info-changed") return undefined;
  const note = event.info._meta?.["aapRequest"];
  return typeof note === "object" && note !== null ? note : undefined;
}

/** A request, and the number of an event of its response. */
export type NotedRequest = { readonly seq: number; readonly note: RequestNote };

export function requestWithKey(log: readonly RecordedEvent[], key: string): NotedRequest | undefined {
  for (const { seq, event } of log) {
    const note = noteIn(event);
    if (note?.key === key) return { seq, note };
  }
  return undefined;
}

export type LoggedResponse = {
  /** The number of the event that the response before it ended with. */
  readonly start: number;
  /** The number of the response's last event. Undefined while the response is open, or when its process died. */
  readonly end: number | undefined;
};

/** Ends of responses that only this process knows: more than the log has, and stops in the log that were none. */
export type ExtraEnds = { readonly added: ReadonlySet<number>; readonly ignored: ReadonlySet<number> };

export const NO_ENDS: ExtraEnds = { added: new Set(), ignored: new Set() };

/** The response that the event with this number belongs to. */
export function responseAt(
  log: readonly RecordedEvent[],
  seq: number,
  extra: ExtraEnds = NO_ENDS,
): LoggedResponse {
  const ends = responseEnds(log, extra);
  return { start: ends.findLast((end) => end < seq) ?? 0, end: ends.find((end) => end >= seq) };
}

/** The number of the event that the last response ended with. */
export const lastEnd = (log: readonly RecordedEvent[], extra: ExtraEnds = NO_ENDS): number =>
  responseEnds(log, extra).at(-1) ?? 0;

function responseEnds(log: readonly RecordedEvent[], { added, ignored }: ExtraEnds): readonly number[] {
  const found = new ResponseEnds();
  const ends = log.flatMap(({ event, seq }) => (found.read(event, seq) && !ignored.has(seq) ? [seq] : []));
  return [...added, ...ends].sort((one, other) => one - other);
}

/** Finds where responses end, event by event. */
export class ResponseEnds {
  /** The number of the last event that was an end. */
  last = 0;
  #endsTurn = false;

  /** Whether a response ends with this event. */
  read(event: SessionEvent, seq: number): boolean {
    if (noteIn(event)?.endsTurn) this.#endsTurn = true;
    if (event.type === "turn-started") this.#endsTurn = false;
    const isStop = event.type === "turn-stopped" && !this.#endsTurn;
    if (!isStop && event.type !== "turn-parked") return false;
    this.last = seq;
    return true;
  }
}
