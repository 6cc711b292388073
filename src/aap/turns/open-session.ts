/**
 * A session that is open here for its turns, and the stream that comes of what is recorded in it. Events that nobody
 * listens to are kept until the next response sends them.
 */
import type { SessionHandle } from "../../agent/index.js";
import { turnStatusAfter } from "./turn-status.js";
import type { RecordedEvent } from "../../call/index.js";
import type { ServerContext } from "../server-context.js";
import type { SessionConfig } from "../sessions/session-config.js";
import type { TurnEvent } from "../client/protocol.js";
import type { Emitter, Listener, NoticeListener } from "../stream/live-response.js";
import { openRecordedFeed } from "../stream/recorded-feed.js";
import type { RecordedFeed } from "../stream/recorded-feed.js";
import { ResponseEnds } from "../stream/response-log.js";
import type { NotedRequest, RequestNote } from "../stream/response-log.js";
import type { StreamEvent } from "../stream/stream-event.js";
import { TurnEvents } from "../stream/turn-events.js";

export type OpenSessionOptions = {
  /** The settings that it was opened with. */
  readonly config: SessionConfig;
  readonly log: readonly RecordedEvent[];
  readonly hasSteps: boolean;
};

export class OpenSession<Session extends SessionHandle = SessionHandle> {
  readonly session: Session;
  readonly config: SessionConfig;
  readonly events: TurnEvents;
  /** The events that begin and end turns and responses: enough of the log to find a response in it. */
  readonly outline: RecordedEvent[] = [];
  /** The ends of responses that the log does not have. */
  readonly ends = { added: new Set<number>(), ignored: new Set<number>() };
  /** A new prompt replaces the turn that was open: the stop of that turn does not end the response. */
  isReplacingTurn = false;
  /** The number of the event that the last response ended with. */
  lastEnd = 0;
  readonly #notes = new Map<string, NotedRequest>();
  readonly #responseEnds = new ResponseEnds();
  readonly #feed: RecordedFeed;
  /** Events since the last response. */
  #unsent: StreamEvent[] = [];
  #listener: Listener | undefined;
  #onNotice: NoticeListener | undefined;

  constructor(
    { isRedacted }: Pick<ServerContext, "isRedacted">,
    session: Session,
    { config, log, hasSteps }: OpenSessionOptions,
    onRecorded: () => void = () => undefined,
  ) {
    this.session = session;
    this.config = config;
    this.#feed = openRecordedFeed(session, log, isRedacted, (recorded) => {
      this.#read(recorded);
      onRecorded();
    });
    this.events = new TurnEvents(this.#feed.book, { hasSteps });
    this.#read(log);
  }

  /** Keeps the key of a request that cannot be recorded, as long as the session is open. */
  keepNote(note: RequestNote, seq: number): void {
    if (note.key !== undefined) this.#notes.set(note.key, { seq, note });
  }

  noteWithKey(key: string): NotedRequest | undefined {
    return this.#notes.get(key);
  }

  hasTurnAfter(seq: number): boolean {
    return this.outline.some((one) => one.seq > seq && one.event.type === "turn-started");
  }

  /** Sends everything since the last response, and from now on what happens. */
  emitTo({ emit, notify }: Emitter, first: StreamEvent): void {
    emit([first, ...this.#unsent.splice(0)]);
    this.#listener = emit;
    this.#onNotice = notify;
  }

  /** Sends an event that is not recorded to those who listen now. */
  notify(notice: TurnEvent): void {
    this.#onNotice?.(notice);
  }

  /** Keeps all events for the next `emitTo`, also those of a turn that ends before it. */
  keepUnsent(): void {
    this.#listener = (events) => void this.#unsent.push(...events);
  }

  /** Resolves when all that is recorded was sent. */
  async endEmitting(): Promise<void> {
    try {
      await this.settle();
    } finally {
      this.#listener = undefined;
      this.#onNotice = undefined;
    }
  }

  /** The response ends here and waits for the app, and nothing is recorded of that. */
  pause(): void {
    const { seq } = this.session;
    this.ends.added.add(seq);
    this.lastEnd = seq;
    const events = this.events.pause(seq);
    if (events.length > 0) this.#listener?.(events);
  }

  /** Resolves when everything that is recorded by now was read. */
  settle(): Promise<void> {
    return this.#feed.settle();
  }

  /** A lease that cannot be released expires. */
  async close(): Promise<void> {
    this.#feed.end();
    await this.session.close().catch(() => undefined);
  }

  #read(recorded: readonly RecordedEvent[]): void {
    let events: StreamEvent[] = [];
    for (const one of recorded) {
      const { event, seq } = one;
      if (event.type === "info-changed" || turnStatusAfter(event) !== undefined) this.outline.push(one);
      const read = this.events.read(event, seq);
      // Most come alone: an array that is to grow takes memory for many.
      if (events.length === 0) events = [...read];
      else events.push(...read);
      if (!this.#responseEnds.read(event, seq)) continue;
      if (this.isReplacingTurn) {
        this.ends.ignored.add(seq);
        continue;
      }
      this.lastEnd = seq;
      if (this.#listener) continue;
      // Earlier events were sent, or belong to a response that nobody asked for.
      events = [];
      this.#unsent = [];
    }
    if (events.length === 0) return;
    if (this.#listener) this.#listener(events);
    else this.#unsent.push(...events);
  }
}
