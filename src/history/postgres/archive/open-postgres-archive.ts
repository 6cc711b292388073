/**
 * The archive of a ledger on PostgreSQL, from tables beside the ledger's.
 *
 * Invariants: a query brings the tables up to date, an append never does; they have redacted texts only, and can be
 * deleted at any time. Only `forget` changes the ledger.
 */
import type {
  Archive,
  ArchiveProgress,
  CallQuery,
  CallStatistics,
  ExportFormat,
  ForgetOptions,
  Forgotten,
  FoundCall,
  FoundSession,
  Ledger,
  ModelUsage,
  Page,
  SearchHit,
  SearchQuery,
  SessionQuery,
  StatisticsQuery,
  UsageQuery,
  Verified,
  VerifyOptions,
} from "../../../call/index.js";
import { LedgerError } from "../../../call/index.js";
import { checkQuery } from "../../check-query.js";
import { exportRecorded } from "../../export/export-recorded.js";
import { forgetSessions, UNUSED_BLOB_MS } from "../../forget-sessions.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import { postgresAddress } from "../postgres-address.js";
import { openPostgresLedger } from "../open-postgres-ledger.js";
import { SqlConnections } from "../sql-connections.js";
import { verifyTables } from "../verify-tables.js";
import { ArchiveIndex, redactionName } from "./archive-index.js";
import { callPage, searchPage, sessionPage } from "./archive-pages.js";
import type { ArchiveTables } from "./archive-pages.js";
import { callStatistics, modelUsage } from "./archive-statistics.js";

export type PostgresArchiveOptions = {
  readonly patterns?: readonly RedactionPattern[];
  readonly onProgress?: (progress: ArchiveProgress) => void;
  readonly now?: () => number;
};

export async function openPostgresArchive(
  address: string,
  options: PostgresArchiveOptions,
): Promise<Archive> {
  const { now } = options;
  const ledger = await openPostgresLedger(address, now ? { now } : {});
  // The same connections as the ledger's.
  const sql = await SqlConnections.open(postgresAddress(address), { isForArchive: true });
  return new PostgresArchive(ledger, sql, options);
}

class PostgresArchive implements Archive {
  readonly #ledger: Ledger;
  readonly #options: PostgresArchiveOptions;
  readonly #patterns: readonly RedactionPattern[];
  readonly #tables: ArchiveTables;
  readonly #index: ArchiveIndex;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(ledger: Ledger, sql: SqlConnections, options: PostgresArchiveOptions) {
    this.#ledger = ledger;
    this.#options = options;
    this.#patterns = options.patterns ?? [];
    this.#tables = { sql, redaction: redactionName(this.#patterns) };
    this.#index = new ArchiveIndex({ sql, ledger, patterns: this.#patterns });
  }

  /** Updates run one at a time, and each reads the heads again, so that a query sees all earlier records. */
  async refresh(): Promise<void> {
    this.#checkNotClosed();
    const refreshed = this.#last
      .catch(() => undefined)
      .then(() => this.#index.refresh(this.#options.onProgress));
    this.#last = refreshed;
    await refreshed;
  }

  async sessions(query: SessionQuery = {}): Promise<Page<FoundSession>> {
    checkQuery("sessions", query);
    await this.refresh();
    return sessionPage(this.#tables, query);
  }

  async calls(query: CallQuery = {}): Promise<Page<FoundCall>> {
    checkQuery("calls", query);
    await this.refresh();
    return callPage(this.#tables, query);
  }

  async search(query: SearchQuery): Promise<Page<SearchHit>> {
    checkQuery("search", query);
    await this.refresh();
    return searchPage(this.#tables, query);
  }

  async statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]> {
    checkQuery("statistics", query);
    await this.refresh();
    return callStatistics(this.#tables, query);
  }

  async modelUsage(query: UsageQuery = {}): Promise<readonly ModelUsage[]> {
    checkQuery("modelUsage", query);
    await this.refresh();
    return modelUsage(this.#tables, query);
  }

  async verify(options: VerifyOptions = {}): Promise<Verified> {
    checkQuery("verify", options);
    this.#checkNotClosed();
    return verifyTables(this.#tables.sql, options);
  }

  export(
    sessionId: string,
    format: ExportFormat,
    options: { readonly redacted?: boolean } = {},
  ): AsyncIterable<string> {
    checkQuery("export", { ...options, sessionId, format });
    const { redacted = true } = options;
    this.#checkNotClosed();
    return exportRecorded(this.#ledger, sessionId, format, { redacted, patterns: this.#patterns });
  }

  /** The archive's rows of a session are removed with it. */
  async forget(options: ForgetOptions = {}): Promise<Forgotten> {
    checkQuery("forget", options);
    this.#checkNotClosed();
    const { now = Date.now } = this.#options;
    const forgotten = await forgetSessions(this.#ledger, { ...options, now });
    const blobs = await this.#removeUnusedBlobs(now() - UNUSED_BLOB_MS);
    if (options.compact) await this.#vacuum();
    return { ...forgotten, blobs };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#last.catch(() => undefined);
    await this.#tables.sql.close();
    await this.#ledger.close();
  }

  /** Names in events are compared as text: a \u0000 elsewhere in an event would make reading it as JSON fail. */
  async #removeUnusedBlobs(putBefore: number): Promise<number> {
    const { sql } = this.#tables;
    const { schema } = sql.address;
    const rows = await sql.retried<[number], { part: number }>(
      {
        isLong: true,
        sql: `with used as (
            select distinct decode(found[1], 'hex') as hash
            from ${schema}.events, regexp_matches(event, '"blob":"([0-9a-f]{64})"', 'g') as found
            where type = 'file-kept'
          )
          delete from ${schema}.blobs b where b.put_at < $1::float8
            and not exists (select 1 from used where used.hash = b.hash) returning b.part`,
      },
      putBefore,
    );
    return rows.filter(({ part }) => part === 0).length;
  }

  /** The server gives the space of removed rows to new ones. */
  async #vacuum(): Promise<void> {
    const { sql } = this.#tables;
    const tables = ["events", "blobs", "archive_items"].map((table) => `${sql.address.schema}.${table}`);
    await sql.retried({ isLong: true, sql: `vacuum ${tables.join(", ")}` });
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError("LEDGER_CLOSED", "The archive is closed. Nothing was read; open it again first.");
  }
}
