/**
 * The snapshots of sessions in SQLite, one for each session, gone with it.
 *
 * What must stay true: a snapshot is never believed over the log. Its seal is made from the link that the chain
 * has at its event, so one that was changed by hand, or whose event is gone, another one or of another session,
 * is as good as none. A session from before there was a chain has none. `verifyLedger` makes the snapshot anew
 * from the log and compares.
 */
import { hash } from "node:crypto";
import type { SessionSnapshot } from "../../call/index.js";
import { LEDGER_SQL } from "./ledger-sql.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { storedName } from "../stored-json.js";

/** What a snapshot is sealed with: that text, after that event. */
export function snapshotSeal(link: string, { seq, saved }: SessionSnapshot): string {
  return hash("sha256", `toolgate snapshot\n${link}\n${seq}\n${saved}`);
}

export class SqliteSnapshots {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Does nothing where no link could hold it. */
  keep(sessionId: string, snapshot: SessionSnapshot): void {
    const at = this.#database.prepare(LEDGER_SQL.eventLink).row(storedName(sessionId), snapshot.seq);
    if (!at || at.chain === null) return;
    const { seq, saved } = snapshot;
    const seal = snapshotSeal(at.chain, snapshot);
    this.#database.prepare(LEDGER_SQL.keepSnapshot).run(at.session, seq, saved, seal);
  }

  find(sessionId: string): SessionSnapshot | undefined {
    const row = this.#database.prepare(LEDGER_SQL.snapshot).row(storedName(sessionId));
    if (!row || row.chain === null) return undefined;
    const { seq, saved } = row;
    return snapshotSeal(row.chain, { seq, saved }) === row.seal ? { seq, saved } : undefined;
  }
}
