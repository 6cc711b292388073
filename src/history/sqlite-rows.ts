/**
 * What the ledger asks of its tables, in its own words. Checks nothing: that is the ledger's part, in
 * the same transaction.
 *
 * What must stay true: within a transaction a session's row and lease are read once and the row is written
 * once, however many appends are committed together; the transaction holds the only lock there is, so
 * nobody else can change them meanwhile. Nothing is remembered from one transaction to the next.
 */
import type { AskedQuestion, Lease, Question, RecordedEvent, SessionSummary } from "../call/index.js";
import { chainStart, nextLink } from "./event-chain.js";
import type { LookedAt } from "./follow-log.js";
import { LOOK_LIMIT } from "./follow-log.js";
import type { HeldLease } from "./lease-rules.js";
import type { QuestionEvent } from "./question-state.js";
import { isAboutQuestion, questionAfter } from "./question-state.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { preparedQueries, type Queries } from "./sqlite-queries.js";
import type { LedgerTables } from "./sqlite-tables.js";
import { eventFromStored, nameFromStored, storedName } from "./stored-json.js";
import type { StoredEvent } from "./stored-event.js";

type WrittenSession = {
  readonly number: number;
  lastSeq: number;
  chain: string | null;
  updatedAt: number | undefined;
};

export class SqliteRows {
  readonly #database: SqliteDatabase<LedgerTables>;
  readonly #queries: Queries;
  /** Of the transaction that is under way. */
  readonly #sessions = new Map<string, WrittenSession>();
  readonly #leases = new Map<string, HeldLease | undefined>();

  constructor(database: SqliteDatabase<LedgerTables>) {
    this.#database = database;
    this.#queries = preparedQueries(database);
  }

  transaction(work: () => void, options: { readonly durable: boolean }): void {
    try {
      this.#database.transaction(() => {
        work();
        for (const { number, lastSeq, chain, updatedAt } of this.#sessions.values()) {
          if (updatedAt !== undefined) this.#queries.updateSession.run(lastSeq, chain, updatedAt, number);
        }
      }, options);
    } finally {
      this.#sessions.clear();
      this.#leases.clear();
    }
  }

  newestLease(sessionId: string): HeldLease | undefined {
    if (this.#leases.has(sessionId)) return this.#leases.get(sessionId);
    const row = this.#queries.lease.row(storedName(sessionId));
    const lease = row && {
      sessionId,
      owner: nameFromStored(row.owner),
      fence: row.fence,
      expiresAt: row.expires_at,
      milliseconds: row.milliseconds ?? undefined,
    };
    this.#leases.set(sessionId, lease);
    if (row && row.number !== null && row.last_seq !== null && !this.#sessions.has(sessionId)) {
      this.#remember(sessionId, { number: row.number, last_seq: row.last_seq, chain: row.chain });
    }
    return lease;
  }

  /** In place of the session's lease before; its fence is one that no lease ever had. */
  insertLease({ sessionId, owner, expiresAt }: Omit<Lease, "fence">, milliseconds: number): number {
    const names = [storedName(sessionId), storedName(owner)] as const;
    const row = this.#queries.replaceLease.row(...names, expiresAt, milliseconds);
    this.#leases.delete(sessionId);
    if (!row) throw new Error(`SQLite gave no fence for session ${sessionId}.`);
    return row.fence;
  }

  extendLease({ sessionId, fence, expiresAt }: Lease, milliseconds: number): void {
    this.#queries.extendLease.run(expiresAt, milliseconds, fence);
    this.#leases.delete(sessionId);
  }

  /** Does nothing when it is not the session's newest. */
  deleteLease({ sessionId, fence }: Lease): void {
    this.#queries.deleteLease.run(fence, storedName(sessionId));
    this.#leases.delete(sessionId);
  }

  lastSeq(sessionId: string): number {
    return this.#written(sessionId)?.lastSeq ?? 0;
  }

  /** Returns the last one's `seq`. */
  insertEvents(sessionId: string, events: readonly StoredEvent[], now: number): number {
    const session = this.#written(sessionId) ?? this.#beginSession(sessionId, now);
    let link = session.chain ?? chainStart(sessionId);
    for (const { text, question } of events) {
      session.lastSeq += 1;
      link = nextLink(link, session.lastSeq, text);
      this.#queries.insertEvent.run(session.number, session.lastSeq, text, link);
      if (question) this.#noteQuestion(question, session.number, session.lastSeq);
    }
    session.chain = link;
    session.updatedAt = now;
    return session.lastSeq;
  }

  events(sessionId: string, after: number): RecordedEvent[] {
    const session = this.#queries.session.row(storedName(sessionId));
    return session ? this.#queries.events.rows(session.number, after).map(recorded) : [];
  }

  look(sessionId: string, after: number): LookedAt | undefined {
    const session = this.#queries.session.row(storedName(sessionId));
    if (!session) return undefined;
    const rows = this.#queries.someEvents.rows(session.number, after, LOOK_LIMIT);
    return { log: session.number, events: rows.map(recorded) };
  }

  question(questionId: string): AskedQuestion | undefined {
    const row = this.#queries.question.row(storedName(questionId));
    if (!row) return undefined;
    const { question } = askedIn(row.asked);
    const open: AskedQuestion = { question, state: { status: "open" } };
    return row.settled === null ? open : questionAfter(open, aboutQuestion(row.settled), question.sessionId);
  }

  /** In the order in which they were asked; those that cannot be read are left out. */
  openQuestions(sessionId: string | undefined): Question[] {
    const ofAll = this.#database.build
      .selectFrom("questions")
      .innerJoin("events", (join) =>
        join.onRef("events.session", "=", "questions.session").onRef("seq", "=", "asked_seq"),
      )
      .select(["event", "seq"])
      .where("settled_seq", "is", null)
      .orderBy("questions.number");
    const query =
      sessionId === undefined
        ? ofAll
        : ofAll
            .innerJoin("sessions", "sessions.number", "questions.session")
            .where("session_id", "=", storedName(sessionId));
    return this.#database.rows(query).flatMap(({ event: text, seq }) => {
      const event = eventFromStored(text, seq);
      return event.type === "question-asked" ? event.question : [];
    });
  }

  sessions({ before, limit }: { before?: SessionSummary; limit?: number }): SessionSummary[] {
    let query = this.#database.build
      .selectFrom("sessions")
      .select(["session_id", "created_at", "updated_at"])
      .orderBy("updated_at", "desc")
      .orderBy("session_id");
    if (before) {
      const { updatedAt, sessionId } = before;
      query = query.where((is) =>
        is.or([
          is("updated_at", "<", updatedAt),
          is.and([is("updated_at", "=", updatedAt), is("session_id", ">", storedName(sessionId))]),
        ]),
      );
    }
    return this.#database.rows(limit === undefined ? query : query.limit(limit)).map((row) => ({
      sessionId: nameFromStored(row.session_id),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }));
  }

  /** With its events and questions. */
  deleteSession(sessionId: string): void {
    this.#queries.deleteSession.run(storedName(sessionId));
    this.#sessions.delete(sessionId);
  }

  insertBlob(hash: string, bytes: Uint8Array, now: number): void {
    this.#queries.insertBlob.run(hash, bytes, now);
  }

  blob(hash: string): Uint8Array | undefined {
    return this.#queries.blob.row(hash)?.bytes;
  }

  #written(sessionId: string): WrittenSession | undefined {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const row = this.#queries.sessionToWrite.row(storedName(sessionId));
    return row && this.#remember(sessionId, row);
  }

  #beginSession(sessionId: string, now: number): WrittenSession {
    const row = this.#queries.beginSession.row(storedName(sessionId), now, now);
    if (!row) throw new Error(`SQLite gave no number for session ${sessionId}.`);
    return this.#remember(sessionId, row);
  }

  #remember(
    sessionId: string,
    row: { number: number; last_seq: number; chain: string | null },
  ): WrittenSession {
    const { number, last_seq: lastSeq, chain } = row;
    const session = { number, lastSeq, chain, updatedAt: undefined };
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** Once each, and the database sees to it: by the unique id, and by settling only what is open. */
  #noteQuestion(event: QuestionEvent, session: number, seq: number): void {
    if (event.type === "question-asked") {
      this.#queries.askQuestion.run(storedName(event.question.questionId), session, seq);
      return;
    }
    const settled = this.#queries.settleQuestion.run(seq, storedName(event.questionId));
    if (settled !== 1) throw new Error(`Question ${event.questionId} was not open when it was settled.`);
  }
}

function recorded({ seq, event }: { seq: number; event: string }): RecordedEvent {
  return { seq, event: eventFromStored(event, seq) };
}

function aboutQuestion(text: string): QuestionEvent {
  const event = eventFromStored(text, 0);
  if (isAboutQuestion(event)) return event;
  throw new Error(`A question points to an event that is about none (${event.type}).`);
}

function askedIn(text: string): QuestionEvent & { type: "question-asked" } {
  const event = aboutQuestion(text);
  if (event.type === "question-asked") return event;
  throw new Error(`A question points to an event that does not ask it (${event.type}).`);
}
