/**
 * Replays a session up to a moment: folds it from its first event. Steps forward continue the fold; a step back
 * starts again. Invariant: a moment shows what the live view showed when the record ended there.
 */
import { eventPages, SessionBook } from "../../call/index.js";
import type { RecordedEvent } from "../../call/index.js";
import { SerialQueue } from "../../call/serial-queue.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import { placedEntries } from "../../view/session-entries.js";
import type { ReplayMoment, ReplayQuery } from "../api/replay-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { CallPlaces } from "../sessions/call-places.js";
import { keyedEntries } from "../sessions/keyed-entries.js";
import { shownEntry } from "../sessions/shown-entry.js";
import { ReplayMoments } from "./replay-moments.js";

const DEFAULT_LIMIT = 100;

export class SessionReplay {
  readonly #context: ServeContext;
  readonly #sessionId: string;
  readonly #moments = new ReplayMoments();
  readonly #queue = new SerialQueue();
  #readSeq = 0;
  #book: SessionBook;
  #places = new CallPlaces();
  #seq = 0;

  constructor(context: ServeContext, sessionId: string) {
    this.#context = context;
    this.#sessionId = sessionId;
    this.#book = new SessionBook(sessionId);
  }

  /** Undefined when nothing is recorded yet. */
  at(query: ReplayQuery): Promise<ReplayMoment | undefined> {
    return this.#queue.run(async () => {
      await this.#readMoments();
      return this.#at(query);
    });
  }

  async #at({ moment, call, seq, limit = DEFAULT_LIMIT }: ReplayQuery): Promise<ReplayMoment | undefined> {
    const moments = this.#moments.all;
    const wanted = moment ?? this.#moments.numberOf({ call, seq });
    const number = Math.min(Math.max(1, wanted), moments.length);
    const now = moments[number - 1];
    if (!now) return undefined;
    await this.#fold(now.seq);
    const { redactPatterns } = this.#context;
    const all = [...keyedEntries(placedEntries(this.#book.snapshot()))];
    const from = Math.max(0, all.length - limit);
    const entryContext = { book: this.#book, places: this.#places, redactPatterns };
    const next = moments[number];
    const { seq: last, at, words, toolCallId } = now;
    const plain = { words, plan: [...this.#book.plan] };
    // The walk changes texts and nothing else.
    const redacted = redactedRecord(plain, redactPatterns) as typeof plain;
    return {
      moment: number,
      moments: moments.length,
      seq: last,
      at,
      ...redacted,
      ...(toolCallId !== undefined && { toolCallId }),
      ...(next && { nextAt: next.at }),
      startedAt: moments[0]?.at ?? at,
      entries: all.slice(from).map((one) => shownEntry(one, entryContext)),
      earlier: from,
    };
  }

  async #readMoments(): Promise<void> {
    for await (const page of eventPages(this.#context.ledger, this.#sessionId, { after: this.#readSeq }))
      for (const recorded of page) {
        this.#moments.add(recorded);
        this.#readSeq = recorded.seq;
      }
  }

  async #fold(until: number): Promise<void> {
    if (until < this.#seq) {
      this.#book = new SessionBook(this.#sessionId);
      this.#places = new CallPlaces();
      this.#seq = 0;
    }
    if (until === this.#seq) return;
    for await (const page of eventPages(this.#context.ledger, this.#sessionId, { after: this.#seq }))
      for (const recorded of page) {
        if (recorded.seq > until) return;
        this.#apply(recorded);
      }
  }

  #apply({ seq, event }: RecordedEvent): void {
    this.#seq = seq;
    this.#places.apply(event);
    try {
      this.#book.apply(event);
    } catch {
      // An event that does not fit is skipped, as in the live view.
    }
  }
}

const MAX_KEPT = 4;

/** The replays that were used last. */
export class SessionReplays {
  readonly #context: ServeContext;
  readonly #kept = new Map<string, SessionReplay>();

  constructor(context: ServeContext) {
    this.#context = context;
  }

  of(sessionId: string): SessionReplay {
    const replay = this.#kept.get(sessionId) ?? new SessionReplay(this.#context, sessionId);
    this.#kept.delete(sessionId);
    this.#kept.set(sessionId, replay);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return replay;
  }
}
