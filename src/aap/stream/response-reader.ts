/**
 * Reads a session's log, event by event, for the events of one response. Message text is not kept: a reader in the
 * middle of a long log holds little more than its place.
 */
import { SessionBook } from "../../call/index.js";
import type { TurnEnd } from "../../agent/index.js";
import type { RecordedEvent } from "../../call/index.js";
import type { RedactionPattern } from "../../history/index.js";
import { ResponseEnds } from "./response-log.js";
import type { ExtraEnds } from "./response-log.js";
import { lastEventAt } from "./stream-event.js";
import type { StreamEvent } from "./stream-event.js";
import { TurnEvents } from "./turn-events.js";
import { recordedEnd, turnStop } from "./turn-stop.js";

export type ReadingOptions = {
  /** The ends of responses that the log does not have. */
  readonly ends: () => ExtraEnds;
  readonly hasSteps: boolean;
  /** Secrets beside those that are known by their shape. */
  readonly redactPatterns: readonly RedactionPattern[];
};

export class ResponseReader {
  /** The number of the event that was read last. */
  seq = 0;
  /** The number of the event that the response before it ended with. */
  readonly #start: number;
  readonly #extraEnds: () => ExtraEnds;
  readonly #book = new SessionBook("");
  readonly #events: TurnEvents;
  readonly #ends = new ResponseEnds();
  readonly #redactPatterns: readonly RedactionPattern[];
  #pausedAt = 0;

  constructor({ ends, hasSteps, redactPatterns }: ReadingOptions, start: number) {
    this.#redactPatterns = redactPatterns;
    this.#start = start;
    this.#extraEnds = ends;
    this.#events = new TurnEvents(this.#book, { hasSteps });
  }

  /** The stream events of the next recorded one, with the response's `turn_stop` where it ends there. */
  read({ seq, event }: RecordedEvent): readonly StreamEvent[] {
    this.seq = seq;
    // Only the calls are looked up in the book.
    if (event.type !== "message-chunk") this.#book.apply(event);
    const events = this.#events.read(event, seq);
    const isEnd = this.#ends.read(event, seq) && !this.#extraEnds().ignored.has(seq);
    if (isEnd) return this.#inResponse([...events, this.#stop(recordedEnd(event))]);
    const pause = this.pause();
    return pause.length === 0 ? this.#inResponse(events) : [...this.#inResponse(events), ...pause];
  }

  /** The last events where the response ends here and the log has no end. That may become known only later. */
  pause(): readonly StreamEvent[] {
    const { seq } = this;
    if (this.#pausedAt === seq || !this.#extraEnds().added.has(seq)) return [];
    this.#pausedAt = seq;
    return this.#inResponse([...this.#events.pause(seq), this.#stop({ status: "parked" })]);
  }

  #stop(end: TurnEnd): StreamEvent {
    return lastEventAt(this.seq, turnStop(end, this.#redactPatterns));
  }

  /** Earlier responses are read, since calls of theirs may still be open, and not sent. */
  #inResponse(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return this.seq > this.#start ? events : [];
  }
}
