/**
 * A client that receives a response. Events go out at once as long as the client keeps up: one that does not read must
 * not make events pile up in memory.
 */
import { isAfter } from "./event-id.js";
import type { EventId } from "./event-id.js";
import type { Listener, LiveResponse, NoticeListener } from "./live-response.js";
import type { StreamEvent } from "./stream-event.js";

export type Subscriber = {
  readonly listener: Listener;
  readonly onNotice?: NoticeListener;
  /** Aborts when the client hangs up. One that waits for the whole turn has none: the turn goes on without it. */
  readonly signal?: AbortSignal;
  /** True when the client's buffer has more than it should. */
  readonly isBehind: () => boolean;
  /** Resolves when the client has read the whole buffer. */
  readonly drained: () => Promise<void>;
};

/** A subscriber's position in a response: each event is sent once, whether it comes live or from the log. */
export class Subscription {
  /** The end was sent, or the client had it before. */
  isOver = false;
  readonly #listener: Listener;
  #last: EventId;

  /** `after` is the last event that the client received before. */
  constructor({ listener }: Subscriber, after: EventId | undefined) {
    this.#listener = listener;
    this.#last = after ?? { seq: 0, part: -1 };
  }

  /** The number of the recorded event that the last sent one comes from. */
  get seq(): number {
    return this.#last.seq;
  }

  send(events: readonly StreamEvent[]): void {
    const oldest = events[0];
    const newest = events.at(-1);
    if (!oldest || !newest) return;
    if (newest.wire.event === "turn_stop") this.isOver = true;
    // Events come in order, so nearly always all of them are new.
    const fresh = isNext(oldest, this.#last) ? events : events.flatMap((one) => unsent(one, this.#last));
    if (fresh.length === 0) return;
    this.#last = newest;
    this.#listener(fresh);
  }
}

/** Whether the whole event comes right after the last that was sent. */
const isNext = (one: StreamEvent, last: EventId): boolean =>
  one.seq > last.seq ||
  (one.seq === last.seq && one.offset !== undefined && one.offset - lengthOf(one) === last.offset);

const lengthOf = ({ wire }: StreamEvent): number => ("delta" in wire.data ? wire.data.delta.length : 0);

/** The part of the event that comes after the last that was sent. */
function unsent(one: StreamEvent, last: EventId): readonly StreamEvent[] {
  if (one.seq !== last.seq || last.offset === undefined) return isAfter(one, last) ? [one] : [];
  // The sent text was not recorded yet, and was lost: this event took its number.
  if (one.offset === undefined) return [one];
  return one.offset > last.offset ? [textAfter(one, last.offset, one.offset)] : [];
}

/** The text after the first `sent` characters of its recorded event. */
function textAfter(one: StreamEvent, sent: number, offset: number): StreamEvent {
  const { event, data } = one.wire;
  if (event !== "text_delta" && event !== "thinking_delta") return one;
  const isNew = offset - data.delta.length >= sent;
  return isNew ? one : { ...one, wire: { event, data: { delta: data.delta.slice(sent - offset) } } };
}

/** Sends live events until the response is over, the subscriber has fallen behind, or the client hangs up. */
export function deliverLive(
  response: LiveResponse,
  subscription: Subscription,
  { signal, isBehind, onNotice }: Subscriber,
  /** Called once the listener is in place. Resolves when the response is over. */
  over: () => Promise<void>,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const stop = response.listen((events) => {
      subscription.send(events);
      if (isBehind()) end();
    }, onNotice);
    signal?.addEventListener("abort", end, { once: true });
    void over().then(end);
    if (signal?.aborted === true || isBehind()) end();
  });
}
