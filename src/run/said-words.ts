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

/** Those whose words wait for the beat. */
const waiting = new Set<SaidWords>();
let beat: NodeJS.Timeout | undefined;

export class SaidWords {
  /** When they are to be written. */
  dueAt = 0;
  readonly #write: () => void;
  #event: SessionEvent | undefined;
  /** The newest event of the log, or of what waits to be in it. */
  #newest: SessionEvent | undefined;

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
    if (!waiting.has(this)) waitForBeat(this);
    return true;
  }

  /** They are on record. */
  written(): void {
    this.#event = undefined;
    endWaiting(this);
  }

  write(): void {
    this.#write();
  }

  /** The event that was told last. */
  follow(newest: SessionEvent | undefined): void {
    this.#newest = newest;
  }
}

function waitForBeat(words: SaidWords): void {
  const patience = Math.min(SHORTEST_MILLISECONDS + waiting.size, LONGEST_MILLISECONDS);
  words.dueAt = performance.now() + patience;
  waiting.add(words);
  beat ??= setInterval(writeDue, BEAT_MILLISECONDS);
}

/** The last of them stops the beat. */
function endWaiting(words: SaidWords): void {
  waiting.delete(words);
  if (waiting.size > 0) return;
  clearInterval(beat);
  beat = undefined;
}

function writeDue(): void {
  const now = performance.now();
  for (const words of waiting) {
    if (words.dueAt > now) continue;
    endWaiting(words);
    words.write();
  }
}
