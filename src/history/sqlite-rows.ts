/**
 * What the ledger asks of its tables, in its own words. Checks nothing: that is the ledger's part, in
 * the same transaction.
 */
import type { AskedQuestion, Lease, Question, RecordedEvent, SessionSummary } from "../call/index.js";
import type { LookedAt } from "./follow-log.js";
import { LOOK_LIMIT } from "./follow-log.js";
import type { QuestionEvent } from "./question-state.js";
import { isAboutQuestion, questionAfter } from "./question-state.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { nameFromStored, storedName } from "./stored-json.js";
import type { StoredEvent } from "./stored-event.js";

export class SqliteRows {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  newestLease(sessionId: string): Lease | undefined {
    const row = this.#database.row(
      this.#database.build
        .selectFrom("leases")
        .select(["fence", "owner", "expires_at"])
        .where("session_id", "=", storedName(sessionId)),
    );
    if (!row) return undefined;
    return { sessionId, owner: nameFromStored(row.owner), fence: row.fence, expiresAt: row.expires_at };
  }

  /** In place of the session's lease before; its fence is one that no lease ever had. */
  insertLease({ sessionId, owner, expiresAt }: Omit<Lease, "fence">): number {
    const values = {
      session_id: storedName(sessionId),
      owner: storedName(owner),
      expires_at: expiresAt,
    };
    const [row] = this.#database.rows(
      this.#database.build.replaceInto("leases").values(values).returning("fence"),
    );
    if (!row) throw new Error(`SQLite gave no fence for session ${sessionId}.`);
    return row.fence;
  }

  extendLease({ fence, expiresAt }: Lease): void {
    this.#database.run(
      this.#database.build.updateTable("leases").set({ expires_at: expiresAt }).where("fence", "=", fence),
    );
  }

  /** Does nothing when it is not the session's newest. */
  deleteLease({ sessionId, fence }: Lease): void {
    this.#database.run(
      this.#database.build
        .deleteFrom("leases")
        .where("fence", "=", fence)
        .where("session_id", "=", storedName(sessionId)),
    );
  }

  lastSeq(sessionId: string): number {
    return this.#session(sessionId)?.last_seq ?? 0;
  }

  /** Returns the last one's `seq`. */
  insertEvents(sessionId: string, events: readonly StoredEvent[], now: number): number {
    const { number, last_seq: before } = this.#session(sessionId) ?? this.#beginSession(sessionId, now);
    const { build } = this.#database;
    const last_seq = before + events.length;
    this.#database.run(
      build.updateTable("sessions").set({ last_seq, updated_at: now }).where("number", "=", number),
    );
    for (const [index, { text, question }] of events.entries()) {
      const seq = before + index + 1;
      this.#database.run(build.insertInto("events").values({ session: number, seq, event: text }));
      if (question) this.#noteQuestion(question, number, seq);
    }
    return last_seq;
  }

  events(sessionId: string, after: number): RecordedEvent[] {
    return this.#database
      .rows(
        this.#database.build
          .selectFrom("events")
          .innerJoin("sessions", "sessions.number", "events.session")
          .select(["seq", "event"])
          .where("session_id", "=", storedName(sessionId))
          .where("seq", ">", after)
          .orderBy("seq"),
      )
      .map(recorded);
  }

  look(sessionId: string, after: number): LookedAt | undefined {
    const session = this.#session(sessionId);
    if (!session) return undefined;
    const rows = this.#database.rows(
      this.#database.build
        .selectFrom("events")
        .select(["seq", "event"])
        .where("session", "=", session.number)
        .where("seq", ">", after)
        .orderBy("seq")
        .limit(LOOK_LIMIT),
    );
    return { log: session.number, events: rows.map(recorded) };
  }

  question(questionId: string): AskedQuestion | undefined {
    const row = this.#database.row(
      this.#database.build
        .selectFrom("questions")
        .innerJoin("events as asked", (join) =>
          join.onRef("asked.session", "=", "questions.session").onRef("asked.seq", "=", "asked_seq"),
        )
        .leftJoin("events as settled", (join) =>
          join.onRef("settled.session", "=", "questions.session").onRef("settled.seq", "=", "settled_seq"),
        )
        .select(["asked.event as asked", "settled.event as settled"])
        .where("question_id", "=", storedName(questionId)),
    );
    if (!row) return undefined;
    const { question } = askedIn(row.asked);
    const open: AskedQuestion = { question, state: { status: "open" } };
    return row.settled === null ? open : questionAfter(open, aboutQuestion(row.settled), question.sessionId);
  }

  /** In the order in which they were asked. */
  openQuestions(sessionId: string | undefined): Question[] {
    const ofAll = this.#database.build
      .selectFrom("questions")
      .innerJoin("events", (join) =>
        join.onRef("events.session", "=", "questions.session").onRef("seq", "=", "asked_seq"),
      )
      .select("event")
      .where("settled_seq", "is", null)
      .orderBy("questions.number");
    const query =
      sessionId === undefined
        ? ofAll
        : ofAll
            .innerJoin("sessions", "sessions.number", "questions.session")
            .where("session_id", "=", storedName(sessionId));
    return this.#database.rows(query).map(({ event }) => askedIn(event).question);
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
    this.#database.run(
      this.#database.build.deleteFrom("sessions").where("session_id", "=", storedName(sessionId)),
    );
  }

  insertBlob(hash: string, bytes: Uint8Array): void {
    this.#database.run(
      this.#database.build
        .insertInto("blobs")
        .values({ hash, bytes })
        .onConflict((conflict) => conflict.doNothing()),
    );
  }

  blob(hash: string): Uint8Array | undefined {
    return this.#database.row(
      this.#database.build.selectFrom("blobs").select("bytes").where("hash", "=", hash),
    )?.bytes;
  }

  #session(sessionId: string): { number: number; last_seq: number } | undefined {
    return this.#database.row(
      this.#database.build
        .selectFrom("sessions")
        .select(["number", "last_seq"])
        .where("session_id", "=", storedName(sessionId)),
    );
  }

  #beginSession(sessionId: string, now: number): { number: number; last_seq: number } {
    const values = { session_id: storedName(sessionId), created_at: now, updated_at: now, last_seq: 0 };
    const [row] = this.#database.rows(
      this.#database.build.insertInto("sessions").values(values).returning(["number", "last_seq"]),
    );
    if (!row) throw new Error(`SQLite gave no number for session ${sessionId}.`);
    return row;
  }

  /** Once each, and the database sees to it: by the unique id, and by settling only what is open. */
  #noteQuestion(event: QuestionEvent, session: number, seq: number): void {
    const { build } = this.#database;
    if (event.type === "question-asked") {
      const question_id = storedName(event.question.questionId);
      this.#database.run(build.insertInto("questions").values({ question_id, session, asked_seq: seq }));
      return;
    }
    const settled = this.#database.run(
      build
        .updateTable("questions")
        .set({ settled_seq: seq })
        .where("question_id", "=", storedName(event.questionId))
        .where("settled_seq", "is", null),
    );
    if (settled !== 1) throw new Error(`Question ${event.questionId} was not open when it was settled.`);
  }
}

function recorded({ seq, event }: { seq: number; event: string }): RecordedEvent {
  return { seq, event: JSON.parse(event) as RecordedEvent["event"] };
}

function aboutQuestion(text: string): QuestionEvent {
  const event = JSON.parse(text) as RecordedEvent["event"];
  if (isAboutQuestion(event)) return event;
  throw new Error(`A question points to an event that is about none (${event.type}).`);
}

function askedIn(text: string): QuestionEvent & { type: "question-asked" } {
  const event = aboutQuestion(text);
  if (event.type === "question-asked") return event;
  throw new Error(`A question points to an event that does not ask it (${event.type}).`);
}
