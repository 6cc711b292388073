/**
 * Reads and writes the rows of the ledger. The ledger makes all checks, in the same transaction.
 *
 * Invariants: within a transaction a session's row and lease are read once and the row is written
 * once, however many appends are committed together; the transaction holds the only lock, so
 * nobody else can change them meanwhile. No state is kept from one transaction to the next.
 */
import type {
  AskedQuestion,
  Lease,
  OpenQuestionsOptions,
  Question,
  RecordedEvent,
  SessionEventType,
  SessionSummary,
} from "../../call/index.js";
import { chainStart, nextLink } from "../chain/hash-chain.js";
import type { LogPage } from "../follow-log.js";
import { holderFromStored } from "../lease-rules.js";
import type { StoredLease } from "../lease-rules.js";
import { identityOf } from "../../process/process-identity.js";
import type { EventRow, EventValues, SessionState } from "./ledger-sql.js";
import { EVENTS_AT_ONCE, LEDGER_SQL } from "./ledger-sql.js";
import type { QuestionEvent } from "../question-state.js";
import { noSuchQuestion } from "../question-state.js";
import type { PreparedStatements, SqliteDatabase, TransactionOptions } from "./sqlite-database.js";
import { eventFromStored, nameFromStored, questionFromStored, storedName } from "../stored-json.js";
import type { StoredEvent } from "../stored-json.js";

type WrittenSession = {
  readonly number: number;
  lastSeq: number;
  chain: string | null;
  /** Undefined while nothing was written. */
  updatedAt: number | undefined;
};

export class SqliteRows {
  readonly #database: SqliteDatabase;
  readonly #statements: PreparedStatements<typeof LEDGER_SQL>;
  /** The sessions of the current transaction. */
  readonly #sessions = new Map<string, WrittenSession>();
  readonly #newestFences = new Map<string, number>();
  /** Our process, as leases name it. */
  #holder: string | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#statements = database.prepareAll(LEDGER_SQL);
  }

  transaction(work: () => void, options: TransactionOptions): void {
    try {
      this.#database.transaction(() => {
        work();
        for (const session of this.#sessions.values()) this.#writeBack(session);
      }, options);
    } finally {
      this.#sessions.clear();
      this.#newestFences.clear();
    }
  }

  /** Writes a page unchanged. */
  touch(): void {
    this.#database.exec(`pragma user_version = ${Number(this.#database.pragma("user_version"))}`);
  }

  newestLease(sessionId: string): StoredLease | undefined {
    const row = this.#statements.lease.row(storedName(sessionId));
    return (
      row && {
        sessionId,
        owner: nameFromStored(row.owner),
        fence: row.fence,
        expiresAt: row.expires_at,
        milliseconds: row.milliseconds ?? undefined,
        holder: row.holder === null ? undefined : holderFromStored(row.holder),
      }
    );
  }

  isNewest({ sessionId, fence }: Lease): boolean {
    if (this.#newestFences.get(sessionId) === fence) return true;
    const row = this.#statements.heldSession.row(storedName(sessionId), fence);
    if (!row) return false;
    this.#newestFences.set(sessionId, fence);
    const { number, last_seq, chain } = row;
    if (number !== null && last_seq !== null && !this.#sessions.has(sessionId)) {
      this.#remember(sessionId, { number, last_seq, chain });
    }
    return true;
  }

  /** Inserts a lease of our process for a session that has none, with a fence that no lease ever had. */
  insertLease({ sessionId, owner, expiresAt }: Omit<Lease, "fence">, milliseconds: number): number {
    const names = [storedName(sessionId), storedName(owner)] as const;
    this.#holder ??= JSON.stringify(identityOf(process.pid));
    const row = this.#statements.insertLease.row(...names, expiresAt, milliseconds, this.#holder);
    if (!row) throw new Error(`SQLite gave no fence for session ${sessionId}.`);
    this.#newestFences.set(sessionId, row.fence);
    return row.fence;
  }

  extendLease({ fence, expiresAt }: Lease, milliseconds: number): void {
    this.#statements.extendLease.run(expiresAt, milliseconds, fence);
  }

  /** Does nothing when the lease is not the session's newest. */
  deleteLease({ sessionId, fence }: Pick<Lease, "sessionId" | "fence">): void {
    this.#statements.deleteLease.run(fence, storedName(sessionId));
    if (this.#newestFences.get(sessionId) === fence) this.#newestFences.delete(sessionId);
  }

  lastSeq(sessionId: string): number {
    return this.#written(sessionId)?.lastSeq ?? 0;
  }

  /** Returns the last one's `seq`. */
  insertEvents(sessionId: string, events: readonly StoredEvent[], now: number): number {
    const session = this.#written(sessionId) ?? this.#beginSession(sessionId, now);
    const { number, lastSeq } = session;
    let link = session.chain ?? chainStart(sessionId);
    const rows = events.map(({ text }, index): EventValues => {
      const seq = lastSeq + index + 1;
      link = nextLink(link, seq, text);
      return [number, seq, text, link];
    });
    const rest = rows.length % EVENTS_AT_ONCE;
    for (let at = 0; at < rows.length - rest; at += EVENTS_AT_ONCE)
      this.#statements.insertEvents.run(...rows.slice(at, at + EVENTS_AT_ONCE).flat());
    for (const row of rows.slice(rows.length - rest)) this.#statements.insertEvent.run(...row);
    events.forEach(({ question }, index) => {
      if (question) this.#noteQuestion(question, number, lastSeq + index + 1);
    });
    session.lastSeq += events.length;
    session.chain = link;
    session.updatedAt = now;
    return session.lastSeq;
  }

  has(sessionId: string): boolean {
    return this.#statements.session.row(storedName(sessionId)) !== undefined;
  }

  events(sessionId: string, page: PageBounds): RecordedEvent[] {
    return [...(this.logPage(sessionId, page)?.events ?? [])];
  }

  /** A damaged row has no type. */
  eventsOfType(
    sessionId: string,
    { after, limit, type }: PageBounds & { readonly type: SessionEventType },
  ): RecordedEvent[] {
    const session = this.#statements.session.row(storedName(sessionId));
    if (!session) return [];
    const found: RecordedEvent[] = [];
    for (let from = after; found.length < limit;) {
      // The type stands in the text as it is, and few other events mention it: only these are read as JSON.
      const rows = this.#statements.eventsLike.rows(session.number, from, `%"${type}"%`, limit);
      found.push(...rows.map(recorded).filter(({ event }) => event.type === type));
      const last = rows.at(-1);
      if (!last || rows.length < limit) break;
      from = last.seq;
    }
    return found.slice(0, limit);
  }

  logPage(sessionId: string, { after, limit }: PageBounds): LogPage | undefined {
    const session = this.#statements.session.row(storedName(sessionId));
    if (!session) return undefined;
    return {
      log: session.number,
      events: this.#statements.events.rows(session.number, after, limit).map(recorded),
    };
  }

  question(questionId: string): AskedQuestion | undefined {
    const row = this.#statements.question.row(storedName(questionId));
    return row && questionFromStored(questionId, row);
  }

  /** In the order in which they were asked; damaged rows are left out, and the page is filled from those after them. */
  openQuestions({ sessionId, after, limit }: OpenQuestionsOptions & { readonly limit: number }): Question[] {
    const found: Question[] = [];
    for (let from = after === undefined ? 0 : this.#questionNumber(after); found.length < limit;) {
      const rows =
        sessionId === undefined
          ? this.#statements.openQuestions.rows(from, limit)
          : this.#statements.openQuestionsOf.rows(storedName(sessionId), from, limit);
      for (const { event: text, seq } of rows) {
        const event = eventFromStored(text, seq);
        if (event.type === "question-asked") found.push(event.question);
      }
      const last = rows.at(-1);
      if (!last || rows.length < limit) break;
      from = last.number;
    }
    return found.slice(0, limit);
  }

  sessions({ before = BEFORE_ALL, limit }: SessionsOptions): SessionSummary[] {
    const { updatedAt, sessionId } = before;
    const rows = this.#statements.sessions.rows(updatedAt, updatedAt, storedName(sessionId), limit);
    return rows.map((row) => ({
      sessionId: nameFromStored(row.session_id),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      lastSeq: row.last_seq,
    }));
  }

  /** Deletes a session with its events and questions. */
  deleteSession(sessionId: string): void {
    this.#statements.deleteSession.run(storedName(sessionId));
    this.#sessions.delete(sessionId);
  }

  insertBlob(hash: string, bytes: Uint8Array, now: number): void {
    this.#statements.insertBlob.run(hash, bytes, now);
  }

  blob(hash: string): Uint8Array | undefined {
    return this.#statements.blob.row(hash)?.bytes;
  }

  #questionNumber(questionId: string): number {
    const row = this.#statements.questionNumber.row(storedName(questionId));
    if (!row) throw noSuchQuestion(questionId);
    return row.number;
  }

  #written(sessionId: string): WrittenSession | undefined {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const row = this.#statements.sessionState.row(storedName(sessionId));
    return row && this.#remember(sessionId, row);
  }

  #beginSession(sessionId: string, now: number): WrittenSession {
    const row = this.#statements.beginSession.row(storedName(sessionId), now, now);
    if (!row) throw new Error(`SQLite gave no number for session ${sessionId}.`);
    return this.#remember(sessionId, { number: row.number, last_seq: 0, chain: null });
  }

  #remember(sessionId: string, { number, last_seq: lastSeq, chain }: SessionState): WrittenSession {
    const session = { number, lastSeq, chain, updatedAt: undefined };
    this.#sessions.set(sessionId, session);
    return session;
  }

  #writeBack({ number, lastSeq, chain, updatedAt }: WrittenSession): void {
    if (updatedAt === undefined || chain === null) return;
    this.#statements.updateSession.run(lastSeq, chain, updatedAt, number);
  }

  /** The database ensures that each happens once: by the unique id, and by settling only open questions. */
  #noteQuestion(event: QuestionEvent, session: number, seq: number): void {
    if (event.type === "question-asked") {
      this.#statements.askQuestion.run(storedName(event.question.questionId), session, seq);
      return;
    }
    const settled = this.#statements.settleQuestion.run(seq, storedName(event.questionId));
    if (settled !== 1) throw new Error(`Question ${event.questionId} was not open when it was settled.`);
  }
}

type PageBounds = { readonly after: number; readonly limit: number };

type SessionsOptions = {
  readonly before?: Pick<SessionSummary, "updatedAt" | "sessionId">;
  readonly limit: number;
};

/** A position before every session. */
const BEFORE_ALL = { updatedAt: Infinity, sessionId: "" };

function recorded({ seq, event }: EventRow): RecordedEvent {
  return { seq, event: eventFromStored(event, seq) };
}
