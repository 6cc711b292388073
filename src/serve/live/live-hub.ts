/**
 * Changes in any session, from any process, as frames for all connected pages: questions, sessions, rules. The last
 * frames are kept, so that a page that lost its connection gets exactly the ones it missed.
 */
import { randomUUID } from "node:crypto";
import { allOpenQuestions } from "../../call/index.js";
import type { LiveFrame } from "../api/live-frames.js";
import type { TurnLiveness } from "../api/question-bodies.js";
import type { SessionSummary } from "../api/session-bodies.js";
import { Inbox } from "../questions/inbox.js";
import type { ServeContext } from "../server/serve-context.js";
import type { SessionFacts } from "../sessions/session-facts.js";
import type { SessionIndex } from "../sessions/session-index.js";
import type { SessionSummaries } from "../sessions/session-summaries.js";

export type NumberedFrame = { readonly number: number; readonly frame: LiveFrame };

export type HubOptions = {
  readonly context: ServeContext;
  readonly index: SessionIndex;
  readonly summaries: SessionSummaries;
  readonly liveness: (facts: SessionFacts) => Promise<TurnLiveness>;
  /** Called when a question of the session was answered or withdrawn, or has expired. */
  readonly onSettled: (sessionId: string) => void;
};

const MAX_KEPT = 1_000;
const RECENT_SESSIONS = 50;
const AGE_MS = 2_000;
/** For a ledger that reports no changes. */
const POLL_MS = 250;
/** Frames of one busy session, unless its state changes. */
const SESSION_FRAME_MS = 250;

export class LiveHub {
  /** Numbers of frames of another start are not valid here. */
  readonly start = randomUUID().slice(0, 8);
  readonly inbox: Inbox;
  readonly #options: HubOptions;
  readonly #kept: NumberedFrame[] = [];
  readonly #subscribers = new Set<(numbered: NumberedFrame) => void>();
  /** Sessions that are running, waiting or have failed, by their ids. */
  readonly #active = new Map<string, SessionSummary>();
  readonly #sentAt = new Map<string, number>();
  readonly #dirty = new Set<string>();
  readonly #stops: (() => void)[] = [];
  #isAllDirty = false;
  #refreshing: Promise<void> | undefined;
  /** The question events are taken in their order. */
  #taking: Promise<void> = Promise.resolve();
  #number = 0;
  #isClosed = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.inbox = new Inbox(options.context, options.liveness, (change, question) => {
      this.#emit({ type: "question", change, question, answerable: this.inbox.answerable });
      const isExpired = change === "aged" && (question.expiresAt ?? Infinity) <= options.context.now();
      if (change === "answered" || change === "withdrawn" || isExpired) options.onSettled(question.sessionId);
    });
  }

  async open(): Promise<void> {
    const { index, summaries } = this.#options;
    const { ledger, rules } = this.#options.context;
    index.onNews = ({ facts }, news, options) => {
      this.#taking = this.#taking
        .then(() => this.inbox.take(news, facts, options))
        .catch((error: unknown) => this.#failed(error));
    };
    this.#stops.push(
      rules.onChange(() => this.#emit({ type: "rules-changed" })),
      ledger.watch?.((sessionId) => this.#changed(sessionId)) ??
        every(POLL_MS, () => this.#changed(undefined)),
      every(AGE_MS, () => void this.#age()),
    );
    const waiting = new Set((await allOpenQuestions(ledger)).map(({ sessionId }) => sessionId));
    const recent = await ledger.sessions({ limit: RECENT_SESSIONS });
    for (const sessionId of new Set([...waiting, ...recent.map((one) => one.sessionId)])) {
      const found = await index.read(sessionId);
      if (found) this.#note(await summaries.summary(found));
    }
    await this.#taking;
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  get number(): number {
    return this.#number;
  }

  /** The first frames of a connection: those after `number`, or the whole state where they are no longer known. */
  framesSince(number: number | undefined): readonly NumberedFrame[] {
    const oldest = this.#number - this.#kept.length;
    if (number !== undefined && number >= oldest && number <= this.#number)
      return this.#kept.filter((one) => one.number > number);
    return [
      { number: this.#number, frame: { type: "inbox", inbox: this.inbox.body() } },
      { number: this.#number, frame: { type: "sessions", sessions: [...this.#active.values()] } },
    ];
  }

  subscribe(subscriber: (numbered: NumberedFrame) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Resolves when everything that was recorded before the call was read. */
  async settled(): Promise<void> {
    this.#changed(undefined);
    while (this.#refreshing) await this.#refreshing;
  }

  /** Looks at a session that somebody has found changed, such as one that another process removed. */
  look(sessionId: string): void {
    this.#changed(sessionId);
  }

  #failed(error: unknown): void {
    if (!this.#isClosed) this.#options.context.onError(error);
  }

  #emit(frame: LiveFrame): void {
    this.#number += 1;
    const numbered = { number: this.#number, frame };
    this.#kept.push(numbered);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    for (const subscriber of this.#subscribers) subscriber(numbered);
  }

  #changed(sessionId: string | undefined): void {
    if (this.#isClosed) return;
    if (sessionId === undefined) this.#isAllDirty = true;
    else this.#dirty.add(sessionId);
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #refresh(): Promise<void> {
    try {
      while (!this.#isClosed && (this.#isAllDirty || this.#dirty.size > 0)) {
        if (this.#isAllDirty) await this.#findDirty();
        const sessionIds = [...this.#dirty];
        this.#dirty.clear();
        for (const sessionId of sessionIds) await this.#read(sessionId);
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  /** The most recently written sessions come first: a page without news is the last one to look at. */
  async #findDirty(): Promise<void> {
    this.#isAllDirty = false;
    const { context, index } = this.#options;
    let before: Parameters<typeof context.ledger.sessions>[0] = {};
    for (;;) {
      const page = await context.ledger.sessions({ limit: RECENT_SESSIONS, ...before });
      const news = page.filter(
        ({ sessionId, lastSeq }) => lastSeq === undefined || index.knownSeq(sessionId) !== lastSeq,
      );
      for (const { sessionId } of news) this.#dirty.add(sessionId);
      const last = page.at(-1);
      // After the start only sessions that were written since can be unknown.
      if (news.length < page.length || page.length < RECENT_SESSIONS || !last) break;
      before = { before: last };
    }
    for (const sessionId of this.#active.keys())
      if (!(await context.ledger.has(sessionId))) this.#remove(sessionId);
  }

  async #read(sessionId: string): Promise<void> {
    const { context, index, summaries } = this.#options;
    const known = index.knownSeq(sessionId);
    const found = await index.read(sessionId);
    await this.#taking;
    // A change without an event may be the removal.
    const isThere = found && (found.seq !== known || (await context.ledger.has(sessionId)));
    if (isThere) this.#show(await summaries.summary(found));
    else this.#remove(sessionId);
  }

  #show(summary: SessionSummary): void {
    const { sessionId, state, openQuestions } = summary;
    const before = this.#active.get(sessionId);
    this.#note(summary);
    const now = performance.now();
    const isSame =
      before?.state === state && before.title === summary.title && before.openQuestions === openQuestions;
    if (isSame && now - (this.#sentAt.get(sessionId) ?? -Infinity) < SESSION_FRAME_MS) return;
    this.#sentAt.set(sessionId, now);
    this.#emit({ type: "session", session: summary });
  }

  #note(summary: SessionSummary): void {
    if (summary.state === "idle") this.#active.delete(summary.sessionId);
    else this.#active.set(summary.sessionId, summary);
  }

  #remove(sessionId: string): void {
    this.#options.index.forget(sessionId);
    this.#sentAt.delete(sessionId);
    this.inbox.removeSession(sessionId);
    this.#active.delete(sessionId);
    this.#emit({ type: "session-removed", sessionId });
  }

  /** A turn that ran in a process that died is seen here. */
  async #age(): Promise<void> {
    try {
      await this.inbox.age();
      for (const { sessionId, state } of this.#active.values()) {
        const found = await this.#options.index.read(sessionId, 0);
        const summary = found && (await this.#options.summaries.summary(found));
        if (summary && summary.state !== state) this.#show(summary);
      }
    } catch (error) {
      this.#failed(error);
    }
  }
}

function every(milliseconds: number, act: () => void): () => void {
  const timer = setInterval(act, milliseconds).unref();
  return () => clearInterval(timer);
}
