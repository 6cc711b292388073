/**
 * The queries of the ledger, written once per handle. Where names are meant they take stored names; values are
 * in the order of the SQL, so that they are handed on as they come.
 */
import type { SqliteDatabase } from "./sqlite-database.js";
import type { LedgerTables } from "./sqlite-tables.js";

export type Queries = ReturnType<typeof preparedQueries>;

export function preparedQueries(database: SqliteDatabase<LedgerTables>) {
  const { build } = database;
  return {
    /** Who holds it and where it stands, in one: every append asks for both. */
    lease: database.prepared((session_id: string) =>
      build
        .selectFrom("leases")
        .leftJoin("sessions", "sessions.session_id", "leases.session_id")
        .select(["fence", "owner", "expires_at", "milliseconds", "number", "last_seq", "chain"])
        .where("leases.session_id", "=", session_id),
    ),
    replaceLease: database.prepared(
      (session_id: string, owner: string, expires_at: number, milliseconds: number) =>
        build
          .replaceInto("leases")
          .values({ session_id, owner, expires_at, milliseconds })
          .returning("fence"),
    ),
    extendLease: database.prepared((expires_at: number, milliseconds: number, fence: number) =>
      build.updateTable("leases").set({ expires_at, milliseconds }).where("fence", "=", fence),
    ),
    deleteLease: database.prepared((fence: number, session_id: string) =>
      build.deleteFrom("leases").where("fence", "=", fence).where("session_id", "=", session_id),
    ),
    session: database.prepared((session_id: string) =>
      build.selectFrom("sessions").select(["number", "last_seq"]).where("session_id", "=", session_id),
    ),
    /** Not for those who only read: a file that cannot be written may be from before the chain. */
    sessionToWrite: database.prepared((session_id: string) =>
      build
        .selectFrom("sessions")
        .select(["number", "last_seq", "chain"])
        .where("session_id", "=", session_id),
    ),
    beginSession: database.prepared((session_id: string, now: number, again: number) =>
      build
        .insertInto("sessions")
        .values({ session_id, created_at: now, updated_at: again, last_seq: 0 })
        .returning(["number", "last_seq", "chain"]),
    ),
    updateSession: database.prepared(
      (last_seq: number, chain: string | null, updated_at: number, number: number) =>
        build.updateTable("sessions").set({ last_seq, chain, updated_at }).where("number", "=", number),
    ),
    deleteSession: database.prepared((session_id: string) =>
      build.deleteFrom("sessions").where("session_id", "=", session_id),
    ),
    insertEvent: database.prepared((session: number, seq: number, event: string, chain: string) =>
      build.insertInto("events").values({ session, seq, event, chain }),
    ),
    events: database.prepared((session: number, after: number) =>
      build
        .selectFrom("events")
        .select(["seq", "event"])
        .where("session", "=", session)
        .where("seq", ">", after)
        .orderBy("seq"),
    ),
    someEvents: database.prepared((session: number, after: number, limit: number) =>
      build
        .selectFrom("events")
        .select(["seq", "event"])
        .where("session", "=", session)
        .where("seq", ">", after)
        .orderBy("seq")
        .limit(limit),
    ),
    askQuestion: database.prepared((question_id: string, session: number, asked_seq: number) =>
      build.insertInto("questions").values({ question_id, session, asked_seq }),
    ),
    settleQuestion: database.prepared((settled_seq: number, question_id: string) =>
      build
        .updateTable("questions")
        .set({ settled_seq })
        .where("question_id", "=", question_id)
        .where("settled_seq", "is", null),
    ),
    question: database.prepared((question_id: string) =>
      build
        .selectFrom("questions")
        .innerJoin("events as asked", (join) =>
          join.onRef("asked.session", "=", "questions.session").onRef("asked.seq", "=", "asked_seq"),
        )
        .leftJoin("events as settled", (join) =>
          join.onRef("settled.session", "=", "questions.session").onRef("settled.seq", "=", "settled_seq"),
        )
        .select(["asked.event as asked", "settled.event as settled"])
        .where("question_id", "=", question_id),
    ),
    insertBlob: database.prepared((hash: string, bytes: Uint8Array, put_at: number) =>
      build
        .insertInto("blobs")
        .values({ hash, bytes, put_at })
        .onConflict((conflict) =>
          conflict.column("hash").doUpdateSet((is) => ({ put_at: is.ref("excluded.put_at") })),
        ),
    ),
    blob: database.prepared((hash: string) =>
      build.selectFrom("blobs").select("bytes").where("hash", "=", hash),
    ),
  };
}
