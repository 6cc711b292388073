/**
 * Text that was sent and is not stored yet. Storing each chunk first would cost more than all its other work, and text
 * has no effects: when the process dies, the last chunks of a message are lost (docs/decisions/0018).
 *
 * Invariants: the buffered text continues the message of the event before it, which is stored. So an event that takes
 * its place after a crash is never mistaken for the rest of it. The text is one event, the next in the log: every
 * append stores it first.
 */
import { joinedEvents } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";

const MIN_WAIT_MS = 250;
const MAX_WAIT_MS = 1_000;
const BEAT_MS = 10;

export class ChunkBuffer {
  readonly #timer: FlushTimer;
  readonly #flush: () => void;
  #event: SessionEvent | undefined;
  /** The newest event that subscribers have seen. */
  #newest: SessionEvent | undefined;

  /** `flush` stores the buffered text, soon. */
  constructor(timer: FlushTimer, flush: () => void) {
    this.#timer = timer;
    this.#flush = flush;
  }

  /** The buffered text as one event. */
  get event(): SessionEvent | undefined {
    return this.#event;
  }

  /** Takes an agent's text that continues the newest message; false when the event must be stored before it is sent. */
  add(event: SessionEvent): boolean {
    if (event.type !== "message-chunk" || event.role === "user") return false;
    const before = this.#event ?? this.#newest;
    const joined = before && joinedEvents(before, event);
    if (!joined) return false;
    this.#event = this.#event ? joined : event;
    this.#timer.schedule(this.#flush);
    return true;
  }

  /** The text is stored. */
  clear(): void {
    this.#event = undefined;
    this.#timer.cancel(this.#flush);
  }

  noteNewest(event: SessionEvent | undefined): void {
    this.#newest = event;
  }
}

type Flush = () => void;

/**
 * When buffered text is written. Records that share a timer write on the same beat: the ledger commits the text of many
 * sessions in one transaction. The more of them wait, the longer each waits, so that a busy server has time for all.
 */
export class FlushTimer {
  /** When each is due. */
  readonly #waiting = new Map<Flush, number>();
  #beat: NodeJS.Timeout | undefined;

  /** Calls `flush` once, after a while. */
  schedule(flush: Flush): void {
    if (this.#waiting.has(flush)) return;
    const waitMs = Math.min(MIN_WAIT_MS + this.#waiting.size, MAX_WAIT_MS);
    this.#waiting.set(flush, performance.now() + waitMs);
    this.#beat ??= setInterval(this.#flushDue, BEAT_MS);
  }

  cancel(flush: Flush): void {
    this.#waiting.delete(flush);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  readonly #flushDue = (): void => {
    const now = performance.now();
    for (const [flush, dueAt] of this.#waiting) {
      if (dueAt > now) continue;
      this.cancel(flush);
      flush();
    }
  };
}
