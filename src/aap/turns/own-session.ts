/**
 * A session of an agent of ours that is open here, with what apps were told of it. After a response it stays open for
 * a moment, since the next request often follows at once; then it is given back, and whoever opens it next, here or
 * elsewhere, goes on from the log alone.
 */
import type { AgentSession } from "../../agent/index.js";
import type { RecordedEvent } from "../../call/index.js";
import type { AapSetting } from "../server-context.js";
import { hearRecorded } from "../stream/recorded-feed.js";
import type { Hearing } from "../stream/recorded-feed.js";
import type { Listener } from "../stream/live-response.js";
import { sameConfig } from "../sessions/session-config.js";
import type { SessionConfig } from "../sessions/session-config.js";
import { TurnEvents } from "../stream/turn-events.js";
import type { Told } from "../stream/turn-events.js";
import { ResponseEnds } from "../stream/response-log.js";

export class OwnSession {
  readonly session: AgentSession;
  /** The settings that it was opened with. */
  readonly config: SessionConfig;
  /** Without what was said. */
  readonly log: RecordedEvent[] = [];
  readonly events: TurnEvents;
  readonly #ends = new ResponseEnds();
  readonly #hearing: Hearing;
  /** What happened since the last response and nobody has been told yet. */
  #untold: Told[] = [];
  #listener: Listener | undefined;

  constructor(
    { isRedacted }: AapSetting,
    session: AgentSession,
    config: SessionConfig,
    log: readonly RecordedEvent[],
  ) {
    this.session = session;
    this.config = config;
    this.#hearing = hearRecorded(session, log, isRedacted, (recorded) => this.#take(recorded));
    this.events = new TurnEvents(this.#hearing.book, { hasSteps: true });
    this.#take(log);
  }

  /** The number of the event that the last response ended with. */
  get lastEnd(): number {
    return this.#ends.last;
  }

  /** Tells everything since the last response, and from now on what happens. */
  tellTo(listener: Listener, first: Told): void {
    listener([first, ...this.#untold.splice(0)]);
    this.#listener = listener;
  }

  /** Comes back when all that is recorded was told. */
  async endTelling(): Promise<void> {
    try {
      await this.#hearing.settle();
    } finally {
      this.#listener = undefined;
    }
  }

  /** Takes in answers that came from elsewhere. */
  async catchUp(): Promise<void> {
    await this.session.catchUp();
    await this.#hearing.settle();
  }

  /** A lease that cannot be given back runs out. */
  async close(): Promise<void> {
    this.#hearing.end();
    await this.session.close().catch(() => undefined);
  }

  #take(recorded: readonly RecordedEvent[]): void {
    let told: Told[] = [];
    for (const one of recorded) {
      if (one.event.type !== "message-chunk") this.log.push(one);
      const read = this.events.read(one.event, one.seq);
      // Most come alone: an array that is to grow takes room for many.
      if (told.length === 0) told = [...read];
      else told.push(...read);
      if (!this.#ends.read(one.event, one.seq) || this.#listener) continue;
      // What came before was told, or belongs to a response that nobody asked for.
      told = [];
      this.#untold = [];
    }
    if (told.length === 0) return;
    if (this.#listener) this.#listener(told);
    else this.#untold.push(...told);
  }
}

/** Milliseconds. Others who want the session wait longer than that for it. */
const KEPT_OPEN = 300;

/** Sessions between two responses. */
export class WarmSessions {
  readonly #warm = new Map<string, { readonly own: OwnSession; readonly timer: NodeJS.Timeout }>();
  /** Those that are being given back. */
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  /** Left where it is. */
  get(sessionId: string): OwnSession | undefined {
    return this.#warm.get(sessionId)?.own;
  }

  /** Taken out, if it was opened with these settings; else it is given back. */
  async take(sessionId: string, config: SessionConfig): Promise<OwnSession | undefined> {
    const own = this.#out(sessionId);
    if (!own || sameConfig(own.config, config)) return own;
    await own.close();
    return undefined;
  }

  /** For whoever comes next. */
  keep(own: OwnSession): void {
    const { sessionId } = own.session;
    if (this.#isClosed) return this.#close(own);
    const timer = setTimeout(() => {
      const kept = this.#out(sessionId);
      if (kept) this.#close(kept);
    }, KEPT_OPEN);
    this.#warm.set(sessionId, { own, timer });
  }

  async end(sessionId: string): Promise<void> {
    await this.#out(sessionId)?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const sessionId of this.#warm.keys()) {
      const own = this.#out(sessionId);
      if (own) this.#close(own);
    }
    await Promise.all(this.#closing);
  }

  #out(sessionId: string): OwnSession | undefined {
    const warm = this.#warm.get(sessionId);
    clearTimeout(warm?.timer);
    this.#warm.delete(sessionId);
    return warm?.own;
  }

  #close(own: OwnSession): void {
    const closing = own.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
