/**
 * The snapshots of sessions in SQLite, one for each session, removed with it.
 *
 * Invariants: the log is right when a snapshot disagrees with it. The seal contains the chain's link at the
 * snapshot's event, so a snapshot that someone changed, or whose event is gone, replaced or of another session, is
 * ignored. A session from before there was a chain has no snapshot. `verifyLedger` makes the snapshot again from the log
 * and compares.
 */
import type { SessionSnapshot } from "../../call/index.js";
import { snapshotSeal } from "../chain/hash-chain.js";
import { LEDGER_SQL } from "./ledger-sql.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { storedName } from "../stored-json.js";

export class SqliteSnapshots {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Does nothing where the snapshot's event has no link. */
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
