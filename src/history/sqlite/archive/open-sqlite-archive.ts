/**
 * The archive of a ledger in an SQLite file, from an index in a file beside it.
 *
 * Invariants: a query updates the index, an append never does; the index has redacted texts only; it can be deleted at
 * any time, and is rebuilt. Only `forget` writes to the ledger. The index is not opened before a query needs it. Where its
 * file cannot be written and is missing or out of date, the index is in memory until the archive is closed.
 */
import { existsSync } from "node:fs";
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
import { exportRecorded } from "../../export/export-recorded.js";
import { forgetSessions } from "../../forget-sessions.js";
import { LedgerFileError } from "../../ledger-file-error.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import type { SqliteDatabase } from "../sqlite-database.js";
import { cannotBeWritten, openFile, openInMemory, openLedgerToRead } from "../sqlite-file.js";
import { openSqliteLedger, SqliteLedger } from "../sqlite-ledger.js";
import { tidyLedger } from "../tidy-ledger.js";
import { verifyLedger } from "../verify-ledger.js";
import { indexFile } from "./index-file.js";
import { callPage, searchPage, sessionPage } from "./index-pages.js";
import { callStatistics, modelUsage } from "./index-statistics.js";
import { INDEX_FILE } from "./index-tables.js";
import { IndexUpdate } from "./index-update.js";

export type SqliteArchiveOptions = {
  /** The path of the index; by default beside the ledger and named after it. */
  readonly indexFile?: string;
  /** Further secrets that must not get into the index or an export. */
  readonly patterns?: readonly RedactionPattern[];
  /** Called while the index is brought up to date. */
  readonly onProgress?: (progress: ArchiveProgress) => void;
  /** Called when the index is built in memory, with the reason why its file cannot be written. */
  readonly onIndexInMemory?: (reason: Error) => void;
  readonly now?: () => number;
};

export async function openSqliteArchive(file: string, options: SqliteArchiveOptions): Promise<Archive> {
  return new SqliteArchive(await openLedgerToRead(file), options);
}

class SqliteArchive implements Archive {
  readonly #ledger: SqliteDatabase;
  readonly #options: SqliteArchiveOptions;
  readonly #patterns: readonly RedactionPattern[];
  readonly #now: () => number;
  #index: Promise<OpenIndex> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(ledger: SqliteDatabase, options: SqliteArchiveOptions) {
    this.#ledger = ledger;
    this.#options = options;
    this.#patterns = options.patterns ?? [];
    this.#now = options.now ?? Date.now;
  }

  async refresh(): Promise<void> {
    await this.#upToDate();
  }

  async search(query: SearchQuery): Promise<Page<SearchHit>> {
    return searchPage(await this.#upToDate(), query);
  }

  async sessions(query: SessionQuery = {}): Promise<Page<FoundSession>> {
    return sessionPage(await this.#upToDate(), query);
  }

  async calls(query: CallQuery = {}): Promise<Page<FoundCall>> {
    return callPage(await this.#upToDate(), query);
  }

  async statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]> {
    return callStatistics(await this.#upToDate(), query);
  }

  async modelUsage(query: UsageQuery = {}): Promise<readonly ModelUsage[]> {
    return modelUsage(await this.#upToDate(), query);
  }

  async verify(options: VerifyOptions = {}): Promise<Verified> {
    this.#checkNotClosed();
    return verifyLedger(this.#ledger.file, options);
  }

  export(
    sessionId: string,
    format: ExportFormat,
    { redacted = true }: { readonly redacted?: boolean } = {},
  ): AsyncIterable<string> {
    this.#checkNotClosed();
    const ledger = new SqliteLedger(this.#ledger, this.#now);
    return exportRecorded(ledger, sessionId, format, { redacted, patterns: this.#patterns });
  }

  async forget(options: ForgetOptions = {}): Promise<Forgotten> {
    this.#checkNotClosed();
    const { file } = this.#ledger;
    const now = this.#now;
    const ledger = await openSqliteLedger(file, { now });
    let forgotten: Awaited<ReturnType<typeof forgetSessions>>;
    try {
      forgotten = await forgetSessions(ledger, { ...options, now });
    } finally {
      await ledger.close();
    }
    const { blobs } = await tidyLedger(file, { now, vacuum: options.compact ?? false });
    if (this.#index || existsSync(this.#indexFile())) (await this.#opened()).update.forgetRemoved();
    return { ...forgotten, blobs };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#last.catch(() => undefined);
    const opened = await this.#index?.catch(() => undefined);
    try {
      opened?.database.emptyLog();
    } catch {
      // The log stays beside the file; the next process that opens the file merges it.
    }
    opened?.database.close();
    this.#ledger.close();
  }

  /** Refreshes run one at a time, and each reads the ledger again, so that a query sees all earlier records. */
  async #upToDate(): Promise<SqliteDatabase> {
    this.#checkNotClosed();
    const refreshed = this.#last
      .catch(() => undefined)
      .then(async () => {
        this.#checkNotClosed();
        try {
          return await this.#updated(await this.#opened());
        } catch (error) {
          if (!(error instanceof Error) || !cannotBeWritten(error)) throw error;
          return this.#updated(await this.#replaceByMemory(error));
        }
      });
    this.#last = refreshed;
    return refreshed;
  }

  async #updated({ database, update }: OpenIndex): Promise<SqliteDatabase> {
    await update.run(this.#options.onProgress);
    return database;
  }

  async #replaceByMemory(reason: Error): Promise<OpenIndex> {
    const before = await this.#index?.catch(() => undefined);
    before?.database.close();
    const database = await openInMemory(this.#indexFile(), INDEX_FILE);
    const opened = { database, update: new IndexUpdate(this.#ledger, database, this.#patterns) };
    this.#index = Promise.resolve(opened);
    this.#options.onIndexInMemory?.(reason);
    return opened;
  }

  #opened(): Promise<OpenIndex> {
    this.#index ??= this.#openIndex().catch((error: unknown) => {
      // A folder that was full may have room by the next query.
      this.#index = undefined;
      throw error;
    });
    return this.#index;
  }

  async #openIndex(): Promise<OpenIndex> {
    const database = await openIndexFile(this.#indexFile());
    return { database, update: new IndexUpdate(this.#ledger, database, this.#patterns) };
  }

  #indexFile(): string {
    return this.#options.indexFile ?? indexFile(this.#ledger.file, this.#patterns);
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError("LEDGER_CLOSED", "The archive is closed. Nothing was read; open it again first.");
  }
}

type OpenIndex = { readonly database: SqliteDatabase; readonly update: IndexUpdate };

async function openIndexFile(file: string): Promise<SqliteDatabase> {
  try {
    return await openFile(file, INDEX_FILE);
  } catch (thrown) {
    if (!(thrown instanceof LedgerFileError)) throw thrown;
    // The one may be somebody else's file; the other says so itself.
    if (thrown.code === "NOT_A_LEDGER" || thrown.code === "LEDGER_DAMAGED") throw thrown;
    const words = `${thrown.message} If it stays so, delete it: it is made again from the ledger.`;
    throw new LedgerFileError(thrown.code, words, { cause: thrown });
  }
}
