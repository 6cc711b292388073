/**
 * Reads a session's log, event by event, for what is told of one response. What was said is not kept: a reader that
 * stands in the middle of a long log holds little more than its place.
 */
import { SessionBook } from "../../call/index.js";
import type { RecordedEvent } from "../../call/index.js";
import { lastAt } from "./event-id.js";
import { TurnEvents } from "./turn-events.js";
import type { Told } from "./turn-events.js";
import { ResponseEnds } from "./response-log.js";
import type { KnownEnds } from "./response-log.js";
import { recordedEnd, turnStop } from "./turn-stop.js";

export type ReadingOptions = {
  /** Where responses ended, beside what the log says. */
  readonly ends: () => KnownEnds;
  readonly hasSteps: boolean;
};

export class ResponseReader {
  /** The number of the event that was read last. */
  seq = 0;
  /** The number of the event that the response before it ended with. */
  readonly #start: number;
  readonly #known: () => KnownEnds;
  readonly #book = new SessionBook("");
  readonly #events: TurnEvents;
  readonly #ends = new ResponseEnds();
  #pausedAt = 0;

  constructor({ ends, hasSteps }: ReadingOptions, start: number) {
    this.#start = start;
    this.#known = ends;
    this.#events = new TurnEvents(this.#book, { hasSteps });
  }

  /** What the next event brings; the response's `turn_stop` where it ends there. */
  read({ seq, event }: RecordedEvent): readonly Told[] {
    this.seq = seq;
    // The calls are asked for, and nothing else.
    if (event.type !== "message-chunk") this.#book.apply(event);
    const told = this.#events.read(event, seq);
    const isEnd = this.#ends.read(event, seq) && !this.#known().except.has(seq);
    if (isEnd) return this.#told([...told, lastAt(seq, turnStop(recordedEnd(event)))]);
    const pause = this.pause();
    return pause.length === 0 ? this.#told(told) : [...this.#told(told), ...pause];
  }

  /** What is told where the response ends here without the log's word for it. That may become known only later. */
  pause(): readonly Told[] {
    const { seq } = this;
    if (this.#pausedAt === seq || !this.#known().also.has(seq)) return [];
    this.#pausedAt = seq;
    return this.#told([...this.#events.pause(seq), lastAt(seq, turnStop({ status: "parked" }))]);
  }

  /** Responses before this one are read, since its calls may be theirs, and not told. */
  #told(told: readonly Told[]): readonly Told[] {
    return this.seq > this.#start ? told : [];
  }
}
