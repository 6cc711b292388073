/**
 * The ledger: the append-only record of sessions, and the lease that says who may write to one.
 *
 * Invariants of every implementation (the contract suite in `history/` checks them): events are read in the order in
 * which they were appended, with no gaps; only the holder of the newest lease appends; a question is answered at most
 * once, by anyone, lease or not; a durable append survives a crash; every read is one bounded page.
 */
import { IllegalEvent } from "./illegal-event.js";
import type { Answer, Question } from "./question.js";
import { isYes, notOffered } from "./question.js";
import { SessionBook } from "./session-book.js";
import type { SessionEvent, SessionEventType } from "./session.js";

/** `seq` counts a session's events from 1. */
export type RecordedEvent = { readonly seq: number; readonly event: SessionEvent };

/** The right to append to a session until `expiresAt`. A newer lease has a higher `fence` and ends this one. */
export type Lease = {
  readonly sessionId: string;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: number;
};

/** When a session was first and last written, by the ledger's clock. */
export type SessionSummary = {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The `seq` of its last event, so that a reader can tell whether it has them all. A ledger may leave it out. */
  readonly lastSeq?: number;
};

/** A session as it was after the event `seq`, serialized by `savedSession`. */
export type SessionSnapshot = { readonly seq: number; readonly saved: string };

/** `counted`: whether this answer was the first and counts; `answer`: the one that counts. */
export type AnswerReceipt = { readonly counted: boolean; readonly answer: Answer };

export type ClaimOptions = {
  readonly milliseconds: number;
  /** No tool of the session needs a workspace: in a store with places, every instance may continue the session. */
  readonly isAnywhere?: boolean | undefined;
};

export type LedgerHealth = {
  /** Sessions that `work` names for some instance, and how long the oldest of them has waited. */
  readonly waitingSessions: number;
  readonly oldestWaitMs: number;
  /** How long the last notification took from this process to itself; undefined where none arrives. */
  readonly noticeLagMs: number | undefined;
};

export type AppendOptions = {
  readonly durable: boolean;
  /** Stores the events without waiting for a batch, because the writer is blocked until they are stored. */
  readonly atOnce?: boolean;
  /** Called with the number of stored events: a ledger may store more events than it was given. */
  readonly onStored?: (count: number) => void;
};

/** The number of events, questions or sessions in one page when the caller gives no `limit`. */
export const DEFAULT_READ_LIMIT = 1_000;

export type ReadOptions = {
  /** Reads only events with a higher `seq`. */
  readonly after?: number;
  /** Only events of this type: lists need few events of many sessions. */
  readonly type?: SessionEventType;
  readonly limit?: number;
};

export type OpenQuestionsOptions = {
  readonly sessionId?: string;
  /** The last question of the page before, by its id. Throws NO_SUCH_QUESTION when its session was removed since. */
  readonly after?: string;
  readonly limit?: number;
};

export interface Ledger {
  /** True where every text is stored as it was appended. Elsewhere text is sent only after it was stored. */
  readonly storesVerbatim?: boolean | undefined;
  /**
   * Throws LedgerError LEASE_HELD while another owner's lease lasts. The same owner gets a newer one.
   *
   * Two owners must never both append, so a claim lasts at least as long as the process that made it can still write. A
   * store that can lose a commit while its clients live on (a server that fails over) commits claims durably. A store
   * that stops only together with its clients (a file on the same machine, memory) need not.
   *
   * Throws OTHER_PLACE in a store with places where the session belongs to another one.
   */
  claim(sessionId: string, owner: string, options: ClaimOptions): Promise<Lease>;
  /** Throws LEASE_LOST when the session was claimed again since, by anyone, or released. */
  renew(lease: Lease, options: { readonly milliseconds: number }): Promise<Lease>;
  /** Ends the lease; releasing one that was already lost does nothing. */
  release(lease: Lease): Promise<void>;

  /**
   * Appends all of the events or none, and returns the last one's `seq`. With `durable` it returns only
   * when they would survive a power cut. Throws LEASE_LOST when the lease is not the newest, and
   * IllegalEvent when an event settles a question that is settled already (an answer may have come in
   * between): then read what is new and decide again. `questionId`s are unique over all sessions. Throws APPEND_UNKNOWN
   * when a store on another machine was lost in between, for this and every further append of the lease.
   */
  append(lease: Lease, events: readonly SessionEvent[], options: AppendOptions): Promise<number>;

  /**
   * Stores a snapshot in place of the one before: the next process that opens the session folds only the events after it.
   * A snapshot saves time and is never the truth; a ledger need not have this. Throws LEASE_LOST.
   */
  keepSnapshot?(lease: Lease, snapshot: SessionSnapshot): Promise<void>;
  /** The snapshot, if it still belongs to the log and is as it was stored. */
  snapshot?(sessionId: string): Promise<SessionSnapshot | undefined>;

  /** Whether the session has an event. The cost does not depend on the log's length. */
  has(sessionId: string): Promise<boolean>;
  /**
   * One page of the session's events, in order. A page with fewer events than its limit is the last one; `readAll` and
   * `eventPages` read on. A ledger that cannot filter by `type` returns the other events too, so the caller filters again.
   */
  read(sessionId: string, options?: ReadOptions): Promise<readonly RecordedEvent[]>;
  /** Yields all events after `after`, and then each new one, until the signal aborts. */
  follow(
    sessionId: string,
    options: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<RecordedEvent>;

  /**
   * Calls back after each append, answer and removal, from this process and from others, with the session where it is
   * known. A ledger need not have this. Returns the function that ends it.
   */
  watch?(onChange: (sessionId: string | undefined) => void): () => void;
  /** The owner whose lease on the session lasts, and whose process lives. A ledger need not have this. */
  holder?(sessionId: string): Promise<string | undefined>;

  /**
   * Answers a question, once: the first answer is appended to its session, a later one gets that one
   * back. Needs no lease. Throws NO_SUCH_QUESTION, NOT_OFFERED, INTENT_CHANGED, EXPIRED or WITHDRAWN;
   * then nothing is recorded. A refusal is taken whatever its intent and however late, while the
   * question is open: refusing is always safe.
   */
  answer(questionId: string, answer: Answer): Promise<AnswerReceipt>;
  /**
   * Sessions that somebody must go on with and nobody holds: a question was answered, or the process of a turn ended. Each
   * is repeated until a turn of it ends or parks. Only sessions of the store's own place, where their workspace can be
   * reached, and those that were claimed as `isAnywhere`. A store that only one process serves need not have this.
   */
  work?(options: { readonly signal: AbortSignal }): AsyncIterable<string>;
  /** Whether the store can be reached, and how far it lags; throws when it cannot. A store on this machine need not have this. */
  health?(): Promise<LedgerHealth>;
  /** Throws the error that a write would end with now: a full disk, a lock of another process. Stores nothing. */
  probe?(): Promise<void>;
  /** One page of the open questions, in the order in which they were recorded, of one session or of all. */
  openQuestions(options?: OpenQuestionsOptions): Promise<readonly Question[]>;

  /** One page of the sessions that have events, the most recently written first; `before` is the last one of the page before. */
  sessions(options?: {
    readonly before?: SessionSummary;
    readonly limit?: number;
  }): Promise<readonly SessionSummary[]>;
  /** Forgets a session, its questions included. The lease ends with it; followers end. Throws LEASE_LOST. */
  remove(lease: Lease): Promise<void>;

  /** Stores bytes under their SHA-256 in hex. The same bytes are stored once. */
  putBlob(bytes: Uint8Array): Promise<string>;
  getBlob(hash: string): Promise<Uint8Array | undefined>;

  close(): Promise<void>;
}

export type LedgerErrorCode =
  | "LEASE_HELD"
  | "LEASE_LOST"
  | "NO_SUCH_SESSION"
  | "NO_SUCH_QUESTION"
  | "NOT_OFFERED"
  | "INTENT_CHANGED"
  | "EXPIRED"
  | "WITHDRAWN"
  /** The session's workspace is where this process cannot reach it. */
  | "OTHER_PLACE"
  /** The store lost events that it had acknowledged: a server that failed over to a standby that lagged. */
  | "LOG_BEHIND"
  /** The store was lost during an append, which may be stored or not. The lease appends no more; a new claim reads the log. */
  | "APPEND_UNKNOWN"
  /** The stored log of a session is not one that was recorded. */
  | "LEDGER_DAMAGED"
  | "LEDGER_CLOSED";

export class LedgerError extends Error {
  constructor(
    readonly code: LedgerErrorCode,
    message: string,
    /** LEASE_HELD: the owner that has the session. */
    readonly owner?: string,
  ) {
    super(message);
    this.name = "LedgerError";
  }
}

/** Whether an open question takes this answer now; throws the LedgerError that says why not. */
export function checkAnswer(question: Question, answer: Answer, now: number): void {
  const { outcome } = answer;
  const subject = `Question ${question.questionId} (${question.title})`;
  const unoffered = notOffered(question, outcome);
  if (unoffered !== undefined)
    throw new LedgerError(
      "NOT_OFFERED",
      `${subject} does not offer ${unoffered}. The question is still open.`,
    );
  if (!isYes(question, answer)) return;
  if (answer.intentHash !== question.intentHash) {
    throw new LedgerError(
      "INTENT_CHANGED",
      `${subject} is about another intent than this answer. The question is still open; look at it again.`,
    );
  }
  if (question.expiresAt !== undefined && now >= question.expiresAt) {
    throw new LedgerError(
      "EXPIRED",
      `${subject} expired at ${new Date(question.expiresAt).toISOString()}. Nothing was allowed.`,
    );
  }
}

/** The session's events in pages, so that no request of a store is unbounded; each read when the one before was taken. */
export async function* eventPages(
  ledger: Pick<Ledger, "read">,
  sessionId: string,
  { limit = DEFAULT_READ_LIMIT, ...options }: ReadOptions = {},
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let { after = 0 } = options; ;) {
    const page = await ledger.read(sessionId, { ...options, after, limit });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = last.seq;
  }
}

/** All events of a session that match. */
export async function readAll(
  ledger: Pick<Ledger, "read">,
  sessionId: string,
  options: Omit<ReadOptions, "limit"> = {},
): Promise<readonly RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const page of eventPages(ledger, sessionId, options)) for (const one of page) all.push(one);
  return all;
}

/** All open questions, of one session or of all. */
export async function allOpenQuestions(
  ledger: Pick<Ledger, "openQuestions">,
  { sessionId }: Pick<OpenQuestionsOptions, "sessionId"> = {},
): Promise<readonly Question[]> {
  const questions = new Map<string, Question>();
  for (let after: string | undefined; ;) {
    const page = await ledger
      .openQuestions({
        limit: DEFAULT_READ_LIMIT,
        ...(sessionId !== undefined && { sessionId }),
        ...(after !== undefined && { after }),
      })
      .catch((error: unknown) => {
        if (error instanceof LedgerError && error.code === "NO_SUCH_QUESTION") return undefined;
        throw error;
      });
    for (const question of page ?? []) questions.set(question.questionId, question);
    if (page && page.length < DEFAULT_READ_LIMIT) return [...questions.values()];
    // Someone removed the session that the page before ended with: the list starts again.
    after = page?.at(-1)?.questionId;
  }
}

/** All sessions, the most recently written first. */
export async function* allSessions(
  ledger: Pick<Ledger, "sessions">,
  limit = DEFAULT_READ_LIMIT,
): AsyncGenerator<SessionSummary> {
  for (let before: SessionSummary | undefined; ;) {
    const page = await ledger.sessions({ limit, ...(before && { before }) });
    yield* page;
    before = page.at(-1);
    if (!before || page.length < limit) return;
  }
}

/**
 * Folds a log that a ledger stored. Only what the fold took was ever recorded, so an event that it refuses now was
 * damaged in the store, and is no mistake of a sender. Throws LEDGER_DAMAGED.
 */
export function bookOfLog(sessionId: string, recorded: readonly RecordedEvent[]): SessionBook {
  const book = new SessionBook(sessionId);
  foldStored(book, recorded);
  return book;
}

/** Throws LEDGER_DAMAGED; events before the damaged one stay applied. */
export function foldStored(book: SessionBook, recorded: readonly RecordedEvent[]): void {
  try {
    book.applyAll(recorded.map(({ event }) => event));
  } catch (thrown) {
    if (!(thrown instanceof IllegalEvent)) throw thrown;
    const session = book.sessionId === "" ? "this session" : `session ${book.sessionId}`;
    const damaged = new LedgerError(
      "LEDGER_DAMAGED",
      `The recorded log of ${session} is damaged: an event does not fit those before it. Nothing was changed; toolgate history verify names the damaged events.`,
    );
    damaged.cause = thrown;
    throw damaged;
  }
}
