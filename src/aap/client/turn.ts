/**
 * A turn as it streams: an iterator of its events, and, awaited, the whole result.
 *
 * Invariants: each event is yielded once, however often the stream broke; the request is sent again only to a
 * server that keeps the answer of a key, so nothing runs twice; a stream that ends without `turn_stop` is resumed, or ended
 * as the history has it, or an error, and never a short turn.
 */
import { AapError } from "./aap-error.js";
import type { Connection } from "./connection.js";
import { messagesFromEvents } from "./messages-from-events.js";
import type { HistoryMessage, TurnEvent, TurnRequest, TurnResult } from "./protocol.js";
import { randomKey } from "./random-key.js";
import { isTransient, Retries } from "./retries.js";
import { attemptTurn } from "./attempt-turn.js";
import type { Attempt, Place } from "./attempt-turn.js";
import { missingEvents, turnFromHistory } from "./turn-from-history.js";

export type TurnOptions = {
  /** Called with every event as it comes; in the mode `none` with all of them at the end. */
  readonly onEvent?: (event: TurnEvent) => void;
  /** Stops receiving. The turn continues at the server. */
  readonly signal?: AbortSignal;
  /** The same key with the same request is the same turn; by default a new key. */
  readonly idempotencyKey?: string;
};

export type TurnSetting = {
  readonly connection: Connection;
  readonly sessionId: string;
  readonly path: string;
  readonly sendsKeys: boolean;
  /** Whether the server answers a known key with the recorded answer. */
  readonly keepsKeys: () => Promise<boolean>;
  readonly readHistory: () => Promise<readonly HistoryMessage[]>;
};

export class Turn implements AsyncIterable<TurnEvent>, Promise<TurnResult> {
  readonly [Symbol.toStringTag] = "Turn";
  readonly #setting: TurnSetting;
  readonly #events: AsyncGenerator<TurnEvent, void, undefined>;
  /** The first event, until it is read: the request is sent at once, with or without a reader. */
  #first: Promise<IteratorResult<TurnEvent, void>> | undefined;
  readonly #place: Place = {
    seen: new Set(),
    firstEventId: undefined,
    lastEventId: undefined,
    retry: undefined,
    messages: undefined,
  };
  #result: TurnResult | undefined;
  #isFromHistory = false;
  #whole: Promise<TurnResult> | undefined;

  /** Without a request, an earlier turn is only received. */
  constructor(setting: TurnSetting, request: TurnRequest | undefined, options: TurnOptions) {
    this.#setting = setting;
    this.#events = this.#receive(request, options);
    this.#first = this.#events.next();
    // A reader gets the error; there may be none.
    this.#first.catch(() => undefined);
  }

  /** The id of the first event, once it has come: two turns with the same one are the same. Undefined without ids. */
  get firstEventId(): string | undefined {
    return this.#place.firstEventId;
  }

  /** The stream ended without the turn's end, and the history has it: events may be missing. */
  get isFromHistory(): boolean {
    return this.#isFromHistory;
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, void, undefined> {
    return { next: () => this.#next(), return: () => this.#events.return() };
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a caller that wants only the result awaits the turn
  then<Value = TurnResult, Other = never>(
    onResult?: ((result: TurnResult) => Value | PromiseLike<Value>) | null,
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    this.#whole ??= this.#drain();
    return this.#whole.then(onResult, onError);
  }

  catch<Other = never>(
    onError?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<TurnResult | Other> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<TurnResult> {
    return this.then(undefined).finally(onEnd);
  }

  #next(): Promise<IteratorResult<TurnEvent, void>> {
    const next = this.#first ?? this.#events.next();
    this.#first = undefined;
    return next;
  }

  async #drain(): Promise<TurnResult> {
    // Only the end matters here; an iterator may read the events.
    while (!(await this.#next()).done);
    if (this.#result) return this.#result;
    throw new AapError("STREAM_CUT", `The turn was not read to its end. ${this.#mayContinue()}`);
  }

  async *#receive(
    request: TurnRequest | undefined,
    { onEvent, signal, idempotencyKey = randomKey() }: TurnOptions,
  ): AsyncGenerator<TurnEvent, void, undefined> {
    const { connection, path, sendsKeys } = this.#setting;
    const place = this.#place;
    const key = sendsKeys && request ? idempotencyKey : undefined;
    const attempt: Attempt = { connection, path, request, idempotencyKey: key, signal, place };
    const retries = new Retries();
    const received: TurnEvent[] = [];
    let events = attemptTurn(attempt);
    try {
      for (;;) {
        const event = await nextOf(events);
        if (event instanceof AapError) {
          const ended =
            event instanceof StreamEnded ? await this.#endFromHistory(attempt, received) : undefined;
          if (ended) {
            this.#result = ended;
            this.#isFromHistory = true;
            for (const missing of missingEvents(received, ended)) {
              onEvent?.(missing);
              yield missing;
            }
            return;
          }
          await this.#waitForRetry(event, attempt, retries);
          events = attemptTurn(attempt);
          continue;
        }
        retries.succeeded();
        received.push(event);
        const isLast = event.event === "turn_stop";
        // Before the last event is yielded: its reader may stop there.
        if (isLast)
          this.#result = { ...event.data, messages: place.messages ?? messagesFromEvents(received) };
        onEvent?.(event);
        yield event;
        if (isLast) return;
      }
    } finally {
      await events.return();
    }
  }

  /** When the request cannot be sent again, the history may have the end of the turn. */
  async #endFromHistory(
    { request, place, signal }: Attempt,
    received: readonly TurnEvent[],
  ): Promise<TurnResult | undefined> {
    const { keepsKeys, readHistory } = this.#setting;
    const hasStarted = received.some(({ event }) => event === "turn_start");
    if (!request || !hasStarted || place.lastEventId !== undefined || (await keepsKeys())) return undefined;
    try {
      return await turnFromHistory(request.messages, readHistory, signal);
    } catch (error) {
      // Without a history the cut stream is the error.
      if (error instanceof AapError) return undefined;
      throw error;
    }
  }

  /** Resolves when the request may be sent again; throws when it may not. */
  async #waitForRetry(error: AapError, { place, signal, request }: Attempt, retries: Retries): Promise<void> {
    if (error.code === "REFUSED") {
      // A refusal of the first attempt goes to the caller; later, the server may only be starting.
      if (retries.isFresh || !isTransient(error)) throw error;
    } else if (error.code === "UNREACHABLE" || error.code === "STREAM_CUT") {
      const mayRetry = !request || place.lastEventId !== undefined || (await this.#setting.keepsKeys());
      if (!mayRetry)
        throw new AapError(error.code, `${error.message} ${this.#mayContinue()} ${NOT_RETRIED}`, {
          cause: error,
        });
    } else throw error;
    await retries.pause(error, { retry: place.retry, signal });
  }

  #mayContinue(): string {
    return `The turn of session ${this.#setting.sessionId} may continue at the server; read the history for its result.`;
  }
}

const NOT_RETRIED =
  "The request was not sent again: this server gives its events no ids and promises to keep no answers, so it might have run twice.";

/** The server ended the stream as if it were whole. */
class StreamEnded extends AapError {
  constructor() {
    super("STREAM_CUT", "The stream ended before its turn did.");
  }
}

/** The next event, or why there is none. Other errors than the protocol's are thrown. */
async function nextOf(events: AsyncGenerator<TurnEvent, void, undefined>): Promise<TurnEvent | AapError> {
  try {
    const next = await events.next();
    return next.done ? new StreamEnded() : next.value;
  } catch (error) {
    if (error instanceof AapError) return error;
    throw error;
  }
}
