/**
 * Search, pages and statistics over a ledger's sessions, from an index in a file beside it.
 *
 * What must stay true: the index is brought up to date when something is asked of it and never while
 * something is appended; it holds redacted texts only; it can be deleted at any time, and is made again.
 */
import { LedgerError } from "../../../call/index.js";
import type {
  CallQuery,
  FoundCall,
  FoundSession,
  Page,
  SearchHit,
  SearchQuery,
  SessionQuery,
} from "./index-items.js";
import { callPage, searchPage, sessionPage } from "./index-pages.js";
import type { CallStatistics, StatisticsQuery } from "./index-statistics.js";
import { callStatistics } from "./index-statistics.js";
import { INDEX_FILE } from "./index-tables.js";
import type { IndexProgress } from "./index-update.js";
import { IndexUpdate } from "./index-update.js";
import { LedgerFileError } from "../../ledger-file-error.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import type { SqliteDatabase } from "../sqlite-database.js";
import { openFile, openLedgerToRead } from "../sqlite-file.js";

export type HistoryIndexOptions = {
  /** Where the index is; beside the ledger, with `.index` after its name, unless told. */
  readonly indexFile?: string;
  /** Further secrets that must not get into the index. */
  readonly patterns?: readonly RedactionPattern[];
  /** Hears how far it has come while it is brought up to date. */
  readonly onProgress?: (progress: IndexProgress) => void;
};

export interface HistoryIndex {
  /** What was said, done and printed, the newest first. */
  search(query: SearchQuery): Promise<Page<SearchHit>>;
  /** The most recently written first. */
  sessions(query?: SessionQuery): Promise<Page<FoundSession>>;
  /** The newest first. */
  calls(query?: CallQuery): Promise<Page<FoundCall>>;
  /** The groups with the most calls first. */
  statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]>;
  /** Brings it up to date; the others do so too. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export async function openIndex(ledgerFile: string, options: HistoryIndexOptions): Promise<HistoryIndex> {
  const ledger = await openLedgerToRead(ledgerFile);
  try {
    const file = options.indexFile ?? `${ledger.file}.index`;
    return new SqliteIndex(ledger, await openIndexFile(file), options);
  } catch (thrown) {
    ledger.close();
    throw thrown;
  }
}

async function openIndexFile(file: string): Promise<SqliteDatabase> {
  try {
    return await openFile(file, INDEX_FILE);
  } catch (thrown) {
    if (!(thrown instanceof LedgerFileError) || thrown.code === "NOT_A_LEDGER") throw thrown;
    const words = `${thrown.message} If it stays so, delete it: it is made again from the ledger.`;
    throw new LedgerFileError(thrown.code, words, { cause: thrown });
  }
}

class SqliteIndex implements HistoryIndex {
  readonly #ledger: SqliteDatabase;
  readonly #index: SqliteDatabase;
  readonly #update: IndexUpdate;
  readonly #onProgress: HistoryIndexOptions["onProgress"];
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(
    ledger: ConstructorParameters<typeof IndexUpdate>[0],
    index: SqliteDatabase,
    { patterns = [], onProgress }: HistoryIndexOptions,
  ) {
    this.#ledger = ledger;
    this.#index = index;
    this.#update = new IndexUpdate(ledger, index, patterns);
    this.#onProgress = onProgress;
  }

  /** One at a time, and each looks anew: who asks while one runs sees what was recorded before it asked. */
  async refresh(): Promise<void> {
    this.#checkNotClosed();
    this.#last = this.#last
      .catch(() => undefined)
      .then(() => {
        this.#checkNotClosed();
        return this.#update.run(this.#onProgress);
      });
    await this.#last;
  }

  async search(query: SearchQuery): Promise<Page<SearchHit>> {
    await this.refresh();
    return searchPage(this.#index, query);
  }

  async sessions(query: SessionQuery = {}): Promise<Page<FoundSession>> {
    await this.refresh();
    return sessionPage(this.#index, query);
  }

  async calls(query: CallQuery = {}): Promise<Page<FoundCall>> {
    await this.refresh();
    return callPage(this.#index, query);
  }

  async statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]> {
    await this.refresh();
    return callStatistics(this.#index, query);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#last.catch(() => undefined);
    try {
      this.#index.emptyLog();
    } catch {
      // The log stays beside the file; whoever opens it next brings it in.
    }
    this.#index.close();
    this.#ledger.close();
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError(
      "LEDGER_CLOSED",
      "The history index is closed. Nothing was read; open it again first.",
    );
  }
}
