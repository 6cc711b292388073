/**
 * Whoever hears a response while it happens. What is told goes to them at once, as long as they keep up: one who does
 * not read must not make what is told to them pile up here.
 */
import { isAfter } from "./event-id.js";
import type { EventId } from "./event-id.js";
import type { Listener, LiveResponse } from "./live-response.js";
import type { Told } from "./turn-events.js";

export type Hearer = {
  readonly listener: Listener;
  /** Says that nobody listens any more. */
  readonly signal: AbortSignal;
  /** Whether more was told than should wait to be read. */
  readonly isBehind: () => boolean;
  /** Comes when what was told is read. */
  readonly drained: () => Promise<void>;
};

/** What was told to someone of a response: each event once, whichever way it comes. */
export class Telling {
  /** The end was told, or was heard before. */
  isOver = false;
  readonly #listener: Listener;
  #last: EventId;

  /** `after` is the last event that was heard before. */
  constructor({ listener }: Hearer, after: EventId | undefined) {
    this.#listener = listener;
    this.#last = after ?? { seq: 0, part: -1 };
  }

  /** The number of the event that was told last. */
  get seq(): number {
    return this.#last.seq;
  }

  tell(told: readonly Told[]): void {
    const oldest = told[0];
    const newest = told.at(-1);
    if (!oldest || !newest) return;
    if (newest.told.event === "turn_stop") this.isOver = true;
    // They come in order: as a rule all are new.
    const fresh = isAfter(oldest, this.#last) ? told : told.filter((one) => isAfter(one, this.#last));
    if (fresh.length === 0) return;
    this.#last = newest;
    this.#listener(fresh);
  }
}

/** Comes back when the response is over, when whoever hears it has fallen behind, or when nobody does any more. */
export function hearLive(
  response: LiveResponse,
  telling: Telling,
  { signal, isBehind }: Hearer,
  /** Comes when the response is over. Called when it is listened to. */
  over: () => Promise<void>,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stop = response.listen((told) => {
      telling.tell(told);
      if (isBehind()) end();
    });
    signal.addEventListener("abort", end, { once: true });
    void over().then(end);
    if (signal.aborted) end();
  });
}
