/**
 * Facts of all sessions, read from the ledger when they are needed and then kept up to date by their new events alone.
 */
import { setImmediate } from "node:timers/promises";
import { eventPages } from "../../call/index.js";
import type { Ledger, RecordedEvent, SessionEvent } from "../../call/index.js";
import type { OpenCall } from "../../call/open-calls.js";
import { SessionFacts } from "./session-facts.js";

export type IndexedSession = {
  readonly facts: SessionFacts;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly seq: number;
};

/** An event about a question, with its call as it was then. */
export type QuestionNews = { readonly event: SessionEvent; readonly call?: OpenCall | undefined };

/** `isFirst`: the session was not known here, so its older events are no news. */
export type OnNews = (
  session: IndexedSession,
  news: readonly QuestionNews[],
  options: { readonly isFirst: boolean },
) => void;

type Entry = { facts: SessionFacts; createdAt: number; updatedAt: number; seq: number };

/** The sessions used least recently are dropped, and read again when they are needed. */
const MAX_SESSIONS = 2_000;

export class SessionIndex {
  readonly #ledger: Ledger;
  /** Gets the question events of every session that is read. */
  onNews: OnNews = () => undefined;
  /** The most recently used come last. */
  readonly #entries = new Map<string, Entry>();
  /** One reader per session: two would apply the same events twice. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The `seq` up to which the session is known here; undefined when it is not. */
  knownSeq(sessionId: string): number | undefined {
    return this.#entries.get(sessionId)?.seq;
  }

  forget(sessionId: string): void {
    this.#entries.delete(sessionId);
  }

  /**
   * The session with all events that are recorded by now; undefined when it has none. `lastSeq` saves the look at a
   * session without new events.
   */
  async read(sessionId: string, lastSeq?: number): Promise<IndexedSession | undefined> {
    for (let other = this.#reading.get(sessionId); other; other = this.#reading.get(sessionId)) await other;
    const reading = this.#readOn(sessionId, lastSeq);
    this.#reading.set(
      sessionId,
      reading.catch(() => undefined),
    );
    try {
      return await reading;
    } finally {
      this.#reading.delete(sessionId);
    }
  }

  async #readOn(sessionId: string, lastSeq: number | undefined): Promise<IndexedSession | undefined> {
    const known = this.#entries.get(sessionId);
    const entry = known ?? { facts: new SessionFacts(sessionId), createdAt: 0, updatedAt: 0, seq: 0 };
    const news: QuestionNews[] = [];
    if (lastSeq === undefined || lastSeq > entry.seq)
      for await (const page of eventPages(this.#ledger, sessionId, { after: entry.seq })) {
        for (const recorded of page) apply(entry, recorded, news);
        // A store may block the process while it reads.
        await setImmediate();
      }
    if (entry.seq === 0) return undefined;
    this.#use(sessionId, entry);
    if (news.length > 0) this.onNews(entry, news, { isFirst: !known });
    return entry;
  }

  #use(sessionId: string, entry: Entry): void {
    this.#entries.delete(sessionId);
    this.#entries.set(sessionId, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_SESSIONS) break;
      this.#entries.delete(oldest);
    }
  }
}

function apply(entry: Entry, { event, seq }: RecordedEvent, news: QuestionNews[]): void {
  if (entry.seq === 0) entry.createdAt = event.at;
  entry.updatedAt = event.at;
  entry.facts.apply(event);
  entry.seq = seq;
  if (event.type === "question-asked") news.push({ event, call: entry.facts.call(event.toolCallId) });
  else if ("questionId" in event) news.push({ event });
}
