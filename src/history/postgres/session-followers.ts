/**
 * Followers of sessions, watchers of all of them, and the search for work wait here for changes. A change wakes them
 * whether this process has stored it or another, which sends a notice (commit-notices.ts).
 */
import type { RecordedEvent } from "../../call/index.js";
import { FOLLOW_PAGE_LIMIT, followLog, IdleFollowers } from "../follow-log.js";
import type { LogPage, WakeUp } from "../follow-log.js";
import { eventFromStored, storedName } from "../stored-json.js";
import { BatchQueue } from "./batch-queue.js";
import { CommitNotices } from "./commit-notices.js";
import type { LedgerContext } from "./ledger-context.js";
import type { EventRow } from "./ledger-values.js";

/** A notification may be lost: those who wait look this often without one. */
export const LOOK_MS = 1_000;
/** Wakes those who look for work: no session has this name, since it is no stored one. */
const WORK = "\u0000work";

type Look = {
  readonly sessionId: string;
  readonly after: number;
  readonly resolve: (page: LogPage | undefined) => void;
  readonly reject: (error: unknown) => void;
};

export class SessionFollowers {
  readonly #context: LedgerContext;
  readonly #idle = new IdleFollowers();
  /** How many follow each session. */
  readonly #followed = new Map<string, number>();
  readonly #looks = new BatchQueue<Look>((items) => this.#lookAll(items));
  readonly #watchers = new Set<(sessionId: string | undefined) => void>();
  readonly #notices: CommitNotices;
  #isClosed = false;

  constructor(context: LedgerContext) {
    this.#context = context;
    this.#notices = new CommitNotices({
      sql: context.sql,
      statements: context.statements,
      followers: this.#idle,
      followed: () => [...this.#followed.keys()],
      onAnswer: () => this.#idle.wake(WORK),
      onChange: (sessionId) => this.#changed(sessionId),
    });
  }

  /** How long the last test notification took; undefined where none arrived. */
  get noticeLagMs(): number | undefined {
    return this.#notices.lagMs;
  }

  /** This process has stored something of the session. */
  wake(sessionId: string, { isAnswer = false } = {}): void {
    this.#idle.wake(sessionId);
    if (isAnswer) this.#idle.wake(WORK);
    this.#changed(sessionId);
    this.#notices.send(sessionId, { isAnswer });
  }

  follow(sessionId: string, after: number, signal: AbortSignal): AsyncIterable<RecordedEvent> {
    const readAfter = (seq: number) =>
      new Promise<LogPage | undefined>((resolve, reject) =>
        this.#looks.add({ sessionId, after: seq, resolve, reject }),
      );
    const listen = () => this.#listen(sessionId, signal);
    return followLog({ readAfter, listen, isOver: () => signal.aborted || this.#isClosed }, after);
  }

  /** Calls back without a session each second too. */
  watch(onChange: (sessionId: string | undefined) => void): () => void {
    this.#notices.start();
    this.#watchers.add(onChange);
    const timer = setInterval(() => onChange(undefined), LOOK_MS).unref();
    return () => {
      clearInterval(timer);
      this.#watchers.delete(onChange);
    };
  }

  /** Wakes when a question was answered anywhere. */
  listenForWork(signal: AbortSignal): WakeUp {
    this.#notices.start();
    return this.#idle.listen(WORK, signal);
  }

  /** Ends the followers, also those with unread events. */
  end(): Promise<void> {
    this.#isClosed = true;
    this.#idle.wakeAll();
    return this.#looks.drained();
  }

  async close(): Promise<void> {
    await this.#notices.flush();
    await this.#notices.close();
  }

  /** Reads for all followers that look for changes at the same time, in one statement. */
  async #lookAll(items: readonly Look[]): Promise<void> {
    const { sql, statements } = this.#context;
    try {
      const rows = await sql.retried(
        statements.look,
        items.map((_, place) => place),
        items.map(({ sessionId }) => storedName(sessionId)),
        items.map(({ after }) => after),
        FOLLOW_PAGE_LIMIT,
      );
      const pages = new Map<number, { log: number; events: RecordedEvent[] }>();
      for (const { place, session, seq, event } of rows) {
        const page = pages.get(place) ?? { log: session, events: [] };
        if (seq !== null && event !== null) page.events.push(recordedRow({ seq, event }));
        pages.set(place, page);
      }
      for (const [place, { resolve }] of items.entries()) resolve(pages.get(place));
    } catch (error) {
      for (const { resolve, reject } of items) {
        // Closing ends the followers.
        if (this.#isClosed) resolve(undefined);
        else reject(error);
      }
    }
  }

  #listen(sessionId: string, signal: AbortSignal): WakeUp {
    const { woken, stop } = this.#idle.listen(sessionId, signal);
    this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 0) + 1);
    this.#notices.start();
    let isStopped = false;
    const stopBoth = () => {
      stop();
      if (isStopped) return;
      isStopped = true;
      const count = (this.#followed.get(sessionId) ?? 1) - 1;
      if (count > 0) this.#followed.set(sessionId, count);
      else this.#followed.delete(sessionId);
    };
    return { woken, stop: stopBoth };
  }

  #changed(sessionId: string | undefined): void {
    for (const onChange of this.#watchers) onChange(sessionId);
  }
}

export function recordedRow({ seq, event }: EventRow): RecordedEvent {
  return { seq, event: eventFromStored(event, seq) };
}
