/**
 * The snapshots of sessions in SQLite, one for each session, gone with it.
 *
 * What must stay true: a snapshot is never believed over the log. Its seal is made from the link that the chain
 * has at its event, so one that was changed by hand, or whose event is gone, another one or of another session,
 * is as good as none. A session from before there was a chain has none. `verifyLedger` makes the snapshot anew
 * from the log and compares.
 */
import { hash } from "node:crypto";
import type { SessionSnapshot } from "../call/index.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { LedgerTables } from "./sqlite-tables.js";
import { storedName } from "./stored-json.js";

/** What a snapshot is sealed with: that text, after that event. */
export function snapshotSeal(link: string, { seq, saved }: SessionSnapshot): string {
  return hash("sha256", `toolgate snapshot\n${link}\n${seq}\n${saved}`);
}

export class SqliteSnapshots {
  readonly #queries: ReturnType<typeof preparedQueries>;

  constructor(database: SqliteDatabase<LedgerTables>) {
    this.#queries = preparedQueries(database);
  }

  /** Does nothing where no link could hold it. */
  keep(sessionId: string, snapshot: SessionSnapshot): void {
    const at = this.#queries.link.row(storedName(sessionId), snapshot.seq);
    if (!at || at.chain === null) return;
    const { seq, saved } = snapshot;
    this.#queries.replace.run(at.session, seq, saved, snapshotSeal(at.chain, snapshot));
  }

  find(sessionId: string): SessionSnapshot | undefined {
    const row = this.#queries.find.row(storedName(sessionId));
    if (!row || row.chain === null) return undefined;
    const { seq, saved } = row;
    return snapshotSeal(row.chain, { seq, saved }) === row.seal ? { seq, saved } : undefined;
  }
}

function preparedQueries(database: SqliteDatabase<LedgerTables>) {
  const { build } = database;
  return {
    link: database.prepared((session_id: string, seq: number) =>
      build
        .selectFrom("sessions")
        .innerJoin("events", "events.session", "sessions.number")
        .select(["events.session", "events.chain"])
        .where("session_id", "=", session_id)
        .where("seq", "=", seq),
    ),
    replace: database.prepared((session: number, seq: number, saved: string, seal: string) =>
      build.replaceInto("snapshots").values({ session, seq, saved, seal }),
    ),
    find: database.prepared((session_id: string) =>
      build
        .selectFrom("sessions")
        .innerJoin("snapshots", "snapshots.session", "sessions.number")
        .innerJoin("events", (join) =>
          join.onRef("events.session", "=", "snapshots.session").onRef("events.seq", "=", "snapshots.seq"),
        )
        .select(["snapshots.seq", "saved", "seal", "events.chain"])
        .where("session_id", "=", session_id),
    ),
  };
}
