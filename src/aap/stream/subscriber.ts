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
    const fresh = isNext(oldest, this.#last) ? told : told.flatMap((one) => unheard(one, this.#last));
    if (fresh.length === 0) return;
    this.#last = newest;
    this.#listener(fresh);
  }
}

/** Whether it comes right after the last that was heard, and all of it. */
const isNext = (one: Told, last: EventId): boolean =>
  one.seq > last.seq ||
  (one.seq === last.seq && one.offset !== undefined && one.offset - lengthOf(one) === last.offset);

const lengthOf = ({ told }: Told): number => ("delta" in told.data ? told.data.delta.length : 0);

/** What of it comes after the last that was heard. */
function unheard(one: Told, last: EventId): readonly Told[] {
  if (one.seq !== last.seq || last.offset === undefined) return isAfter(one, last) ? [one] : [];
  // What was heard was not yet recorded, and was lost: this came to stand in its place.
  if (one.offset === undefined) return [one];
  return one.offset > last.offset ? [wordsAfter(one, last.offset, one.offset)] : [];
}

/** The words after the first `heard` characters of the event that they are of. */
function wordsAfter(words: Told, heard: number, offset: number): Told {
  const { event, data } = words.told;
  if (event !== "text_delta" && event !== "thinking_delta") return words;
  const isNew = offset - data.delta.length >= heard;
  return isNew ? words : { ...words, told: { event, data: { delta: data.delta.slice(heard - offset) } } };
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
    if (signal.aborted || isBehind()) end();
  });
}
