/**
 * Where responses begin and end in a session's log. A response tells everything since the one before it ended: that
 * is where the turn was parked or stopped. Where a user goes on while calls are open, the old turn is stopped in the
 * middle of a response; a note in the log says so. The same notes carry the keys of requests.
 */
import type { RecordedEvent, SessionEvent, SessionInfo } from "../../call/index.js";
import type { SessionConfig } from "../sessions/session-config.js";

/** What is noted of a request before anything of it counts. */
export type RequestNote = {
  /** Its `Idempotency-Key`, and what it asked for, in a hash. */
  readonly key?: string;
  readonly body?: string;
  /** It stops the turn that was open, and goes on. */
  readonly endsTurn?: true;
};

/** The session's settings as they are from here on, and the note of the request that came with them. */
export function requestEvent(
  info: SessionInfo,
  config: SessionConfig,
  note: RequestNote,
  at: number,
): SessionEvent {
  const { aapRequest: _before, ...meta } = info._meta ?? {};
  const aapRequest = Object.keys(note).length > 0 && { aapRequest: note };
  return { type: "info-changed", at, info: { ...info, _meta: { ...meta, aap: config, ...aapRequest } } };
}

/** Undefined for events that note nothing. */
function noteIn(event: SessionEvent): RequestNote | undefined {
  if (event.type !== "info-changed") return undefined;
  const note = event.info._meta?.["aapRequest"];
  return typeof note === "object" && note !== null ? note : undefined;
}

/** A request, and the number of an event of its response. */
export type NotedRequest = { readonly seq: number; readonly note: RequestNote };

export function requestWith(log: readonly RecordedEvent[], key: string): NotedRequest | undefined {
  for (const { seq, event } of log) {
    const note = noteIn(event);
    if (note?.key === key) return { seq, note };
  }
  return undefined;
}

export type LoggedResponse = {
  /** The number of the event that the response before it ended with. */
  readonly start: number;
  readonly events: readonly RecordedEvent[];
  /** Undefined while it goes on, or when its process died. */
  readonly end: RecordedEvent | undefined;
};

/** What a process knows of ends beside the log: more of them, and stops that were none. */
export type KnownEnds = { readonly also: ReadonlySet<number>; readonly except: ReadonlySet<number> };

export const NO_ENDS: KnownEnds = { also: new Set(), except: new Set() };

/** The response that tells of the event with this number. */
export function responseOf(
  log: readonly RecordedEvent[],
  seq: number,
  known: KnownEnds = NO_ENDS,
): LoggedResponse {
  const ends = responseEnds(log, known);
  const start = ends.findLast((end) => end < seq) ?? 0;
  const end = ends.find((one) => one >= seq);
  return {
    start,
    events: log.filter((one) => one.seq > start && (end === undefined || one.seq <= end)),
    end: end === undefined ? undefined : log.find((one) => one.seq === end),
  };
}

/** The number of the event that the last response ended with. */
export const lastEnd = (log: readonly RecordedEvent[], known: KnownEnds = NO_ENDS): number =>
  responseEnds(log, known).at(-1) ?? 0;

function responseEnds(log: readonly RecordedEvent[], { also, except }: KnownEnds): readonly number[] {
  const found = new ResponseEnds();
  const ends = log.flatMap(({ event, seq }) => (found.read(event, seq) && !except.has(seq) ? [seq] : []));
  return [...also, ...ends].sort((one, other) => one - other);
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
