/** The server, as the parts of a ledger on PostgreSQL share it. */
import type { LedgerStatements } from "./ledger-statements.js";
import type { SeenLeases } from "./seen-leases.js";
import type { SqlConnections } from "./sql-connections.js";

export type LedgerContext = {
  readonly sql: SqlConnections;
  readonly statements: LedgerStatements;
  /** The time of a test; null for the server's clock. */
  readonly time: () => number | null;
  /** The place of the sessions' workspace. */
  readonly place: string | undefined;
  readonly seenLeases: SeenLeases;
};
