/**
 * A response that is under way in this process. The client that asked for it receives it from its start; others may
 * subscribe later. The response goes on without subscribers.
 */
import type { RecordedEvent } from "../../call/index.js";
import { Cancelled } from "../../run/running-calls.js";
import type { StreamEvent } from "./stream-event.js";
import type { TurnEvent } from "../client/protocol.js";
import { unwrittenText } from "./turn-events.js";

export type Listener = (events: readonly StreamEvent[]) => void;

/** Receives events that are sent live only: they have no id, and nobody receives them again. */
export type NoticeListener = (notice: TurnEvent) => void;

export type Emitter = { readonly emit: Listener; readonly notify: NoticeListener };

export class LiveResponse {
  /** The number of the recorded event that the response before it ended with. */
  readonly start: number;
  readonly #listeners = new Set<Listener>();
  readonly #noticeListeners = new Set<NoticeListener>();
  readonly #abort = new AbortController();
  #run: ((emitter: Emitter, signal: AbortSignal) => Promise<void>) | undefined;
  #done: Promise<void> | undefined;
  #onOver: () => void = () => undefined;
  #unwritten: () => RecordedEvent | undefined;

  /**
   * `unwritten` is text that was sent and is not in the log yet. `run` emits `turn_start` first and one `turn_stop`
   * last, and never rejects.
   */
  constructor(
    start: number,
    unwritten: () => RecordedEvent | undefined,
    run: (emitter: Emitter, signal: AbortSignal) => Promise<void>,
  ) {
    this.start = start;
    this.#unwritten = unwritten;
    this.#run = run;
  }

  /** Lets it run; resolves when it is over and everything was emitted. */
  begin(): Promise<void> {
    const run = this.#run;
    // Once, and a subscriber that keeps the response does not keep the session.
    this.#run = undefined;
    const emitter: Emitter = {
      emit: (events) => this.#emit(events),
      notify: (notice) => {
        for (const listener of this.#noticeListeners) listener(notice);
      },
    };
    if (run) this.#done = run(emitter, this.#abort.signal);
    return this.over();
  }

  onOver(listener: () => void): void {
    this.#onOver = listener;
  }

  /** Text that was sent and is not in the log yet: a new subscriber finds it here. */
  unwritten(): readonly StreamEvent[] {
    const recorded = this.#unwritten();
    return recorded ? unwrittenText(recorded) : [];
  }

  /** Subscribes to the events from now on. Returns the function that unsubscribes. */
  listen(listener: Listener, onNotice: NoticeListener = () => undefined): () => void {
    this.#listeners.add(listener);
    this.#noticeListeners.add(onNotice);
    return () => {
      this.#listeners.delete(listener);
      this.#noticeListeners.delete(onNotice);
    };
  }

  /** Resolves when the turn is recorded as cancelled. */
  async cancel(reason?: string): Promise<void> {
    this.#abort.abort(reason === undefined ? undefined : new Cancelled(reason));
    await this.#done;
  }

  async over(): Promise<void> {
    await this.#done;
  }

  #emit(events: readonly StreamEvent[]): void {
    // Before the last event is out: its receiver may ask for the next turn at once.
    if (events.at(-1)?.wire.event === "turn_stop") {
      this.#onOver();
      this.#unwritten = () => undefined;
    }
    for (const listener of this.#listeners) listener(events);
  }
}
