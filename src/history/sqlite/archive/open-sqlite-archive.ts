/**
 * The archive of a ledger in an SQLite file, from an index in a file beside it.
 *
 * Invariants: a query updates the index, an append never does; the index has redacted texts only; it can be deleted at
 * any time, and is rebuilt. Only `forget` writes to the ledger. The index is not opened before a query needs it. Where its
 * file cannot be written and is missing, out of date or unusable, the index is in memory until the archive is closed.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
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
import { checkQuery } from "../../check-query.js";
import { exportRecorded } from "../../export/export-recorded.js";
import { forgetSessions } from "../../forget-sessions.js";
import { LedgerFileError, type LedgerFileErrorCode } from "../../ledger-file-error.js";
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
  return new SqliteArchive(await openLedgerToRead(file, true), options);
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
    checkQuery("search", query);
    return this.#ask((index) => searchPage(index, query));
  }

  async sessions(query: SessionQuery = {}): Promise<Page<FoundSession>> {
    checkQuery("sessions", query);
    return this.#ask((index) => sessionPage(index, query));
  }

  async calls(query: CallQuery = {}): Promise<Page<FoundCall>> {
    checkQuery("calls", query);
    return this.#ask((index) => callPage(index, query));
  }

  async statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]> {
    checkQuery("statistics", query);
    return this.#ask((index) => callStatistics(index, query));
  }

  async modelUsage(query: UsageQuery = {}): Promise<readonly ModelUsage[]> {
    checkQuery("modelUsage", query);
    return this.#ask((index) => modelUsage(index, query));
  }

  async verify(options: VerifyOptions = {}): Promise<Verified> {
    checkQuery("verify", options);
    this.#checkNotClosed();
    return verifyLedger(this.#ledger.file, options);
  }

  export(
    sessionId: string,
    format: ExportFormat,
    options: { readonly redacted?: boolean } = {},
  ): AsyncIterable<string> {
    checkQuery("export", { ...options, sessionId, format });
    const { redacted = true } = options;
    this.#checkNotClosed();
    const ledger = new SqliteLedger(this.#ledger, this.#now);
    return exportRecorded(ledger, sessionId, format, { redacted, patterns: this.#patterns });
  }

  async forget(options: ForgetOptions = {}): Promise<Forgotten> {
    checkQuery("forget", options);
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

  /** Damage that only a query meets is as bad as damage that is found before. */
  async #ask<Result>(query: (index: SqliteDatabase) => Result): Promise<Result> {
    const index = await this.#upToDate();
    try {
      return query(index);
    } catch (error) {
      if (!this.#isToReplace(error)) throw error;
      return query(await this.#upToDate(error));
    }
  }

  /**
   * Refreshes run one at a time, and each reads the ledger again, so that a query sees all earlier records. `broken`: why
   * the file of the index is of no use.
   */
  async #upToDate(broken?: Error): Promise<SqliteDatabase> {
    this.#checkNotClosed();
    const refreshed = this.#last
      .catch(() => undefined)
      .then(async () => {
        this.#checkNotClosed();
        if (broken) return this.#updated(await this.#replaceByMemory(broken));
        try {
          return await this.#updated(await this.#opened());
        } catch (error) {
          if (!this.#isToReplace(error)) throw error;
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

  /** Where its file can be deleted, the user decides: it may be somebody else's. */
  #isToReplace(error: unknown): error is Error {
    if (!(error instanceof Error)) return false;
    if (cannotBeWritten(error)) return true;
    const isAbout = error instanceof LedgerFileError && error.file === resolve(this.#indexFile());
    return isAbout && UNUSABLE.has(error.code) && !mayChange(dirname(error.file));
  }

  async #replaceByMemory(reason: Error): Promise<OpenIndex> {
    const before = await this.#index?.catch(() => undefined);
    if (before?.isInMemory) return before;
    before?.database.close();
    const database = await openInMemory(this.#indexFile(), INDEX_FILE);
    const update = new IndexUpdate(this.#ledger, database, this.#patterns);
    const opened = { database, update, isInMemory: true };
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
    return {
      database,
      update: new IndexUpdate(this.#ledger, database, this.#patterns),
      isInMemory: false,
    };
  }

  #indexFile(): string {
    return this.#options.indexFile ?? indexFile(this.#ledger.file, this.#patterns);
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError("LEDGER_CLOSED", "The archive is closed. Nothing was read; open it again first.");
  }
}

type OpenIndex = {
  readonly database: SqliteDatabase;
  readonly update: IndexUpdate;
  readonly isInMemory: boolean;
};

const UNUSABLE: ReadonlySet<LedgerFileErrorCode> = new Set([
  "NOT_A_LEDGER",
  "LEDGER_DAMAGED",
  "LEDGER_FAILED",
  "LEDGER_TOO_NEW",
]);

function mayChange(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function openIndexFile(file: string): Promise<SqliteDatabase> {
  try {
    const database = await openFile(file, INDEX_FILE);
    const { length } = INDEX_FILE.migrations;
    if (database.pragma("user_version") === length) return database;
    database.close();
    const words = `The history index ${database.file} can only be read, and has not the tables of this toolgate. Nothing was written; it is made again from the ledger where it can be.`;
    throw new LedgerFileError("LEDGER_READ_ONLY", words, { file: database.file });
  } catch (thrown) {
    if (!(thrown instanceof LedgerFileError)) throw thrown;
    // The one may be somebody else's file; the other says so itself.
    if (thrown.code === "NOT_A_LEDGER" || thrown.code === "LEDGER_DAMAGED") throw thrown;
    const words = `${thrown.message} If it stays so, delete it: it is made again from the ledger.`;
    throw new LedgerFileError(thrown.code, words, {
      cause: thrown,
      ...(thrown.file !== undefined && { file: thrown.file }),
    });
  }
}
