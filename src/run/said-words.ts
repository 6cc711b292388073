/**
 * Words that are told at once and written a moment later, many of them together. To have each of them on disk first
 * would cost more than all else that is done for it, and nothing takes effect by a word: when the process dies, the
 * last moment of an answer dies with it (docs/decisions/0018).
 *
 * What must stay true: they go on with the message of the event before them, which is written. So whatever comes to
 * stand in their place when they are lost is not taken for the rest of them. They are one event, the next in the log:
 * whoever writes more writes them first, in the same append.
 */
import { joinedEvents } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";

/** How long words may wait to be written: the longer, the more sessions have some, so that a server has time for all. */
const SHORTEST_MILLISECONDS = 250;
const LONGEST_MILLISECONDS = 1_000;
/** Sessions write on a common beat: what many write in one moment is one transaction of the ledger. */
const BEAT_MILLISECONDS = 10;

/** Sessions whose words wait for the beat. */
let waiting = 0;

export class SaidWords {
  readonly #write: () => void;
  #event: SessionEvent | undefined;
  /** The newest event of the log, or of what waits to be in it. */
  #newest: SessionEvent | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `write` is to append them, soon. */
  constructor(write: () => void) {
    this.#write = write;
  }

  /** What waits to be written. */
  get event(): SessionEvent | undefined {
    return this.#event;
  }

  /** Takes the event if it is more of the message that was said last; else it must be written before it is told. */
  take(event: SessionEvent): boolean {
    if (event.type !== "message-chunk" || event.role === "user") return false;
    const before = this.#event ?? this.#newest;
    const joined = before && joinedEvents(before, event);
    if (!joined) return false;
    this.#event = this.#event ? joined : event;
    this.#timer ??= this.#waitForBeat();
    return true;
  }

  /** They are on record. */
  written(): void {
    this.#event = undefined;
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    waiting -= 1;
  }

  #waitForBeat(): NodeJS.Timeout {
    waiting += 1;
    const patience = Math.min(SHORTEST_MILLISECONDS + waiting, LONGEST_MILLISECONDS);
    return setTimeout(this.#onBeat, patience - (performance.now() % BEAT_MILLISECONDS));
  }

  readonly #onBeat = (): void => {
    this.#timer = undefined;
    waiting -= 1;
    this.#write();
  };

  /** The event that was told last. */
  follow(newest: SessionEvent | undefined): void {
    this.#newest = newest;
  }
}
