/**
 * SQLite with queries that are typed by kysely and run at once.
 *
 * Kysely's own drivers are asynchronous: between two queries of a transaction others would run, and a
 * second connection in the same thread would wait for a lock that cannot be given up while it waits.
 * So kysely only writes the SQL here, and what must stay true is: a transaction is one piece of work
 * with no `await` in it, and holds its lock no longer than that.
 */
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { Compilable } from "kysely";
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { LedgerFileError, type LedgerFileErrorCode } from "./ledger-file-error.js";

/** How long to wait for another process that writes. It needs a millisecond, unless it is stopped in the middle. */
export const BUSY_MILLISECONDS = 5000;

export type SqlValue = string | number | null;

/** A query that was written once and is run with other values each time. */
type Prepared<Values extends readonly unknown[], Row> = {
  readonly rows: (...values: Values) => Row[];
  readonly row: (...values: Values) => Row | undefined;
  /** How many rows it has changed. */
  readonly run: (...values: Values) => number;
};

export class SqliteDatabase<Tables> {
  /** Where queries are written; `rows`, `row` and `run` run them. */
  readonly build = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  readonly #driver: DatabaseSyncInstance;
  // As many as there are places in the code that write a query.
  readonly #statements = new Map<string, StatementSyncInstance>();
  #isDurable: boolean | undefined;

  /** `what` it is a file of is for the reader of a message. */
  constructor(
    readonly file: string,
    driver: DatabaseSyncInstance,
    readonly what = "ledger",
  ) {
    this.#driver = driver;
    this.exec(`pragma busy_timeout = ${BUSY_MILLISECONDS}`);
  }

  rows<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile();
    // The driver knows no types; kysely has derived them from the tables.
    return this.#try(() => this.#statement(sql).all(...parameters) as Row[]);
  }

  row<Row>(query: Compilable<Row>): Row | undefined {
    return this.rows(query)[0];
  }

  /** How many rows it has changed. */
  run(query: Compilable): number {
    const { sql, parameters } = query.compile();
    return this.#try(() => this.#statement(sql).run(...parameters).changes);
  }

  /** Rows by SQL of one's own, for what kysely has no words for; the type is the caller's word. */
  select<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#try(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** How many rows it has changed. */
  change(sql: string, values: readonly SqlValue[] = []): number {
    return this.#try(() => this.#statement(sql).run(...values).changes);
  }

  /** For the queries of every append: to write one takes longer than to run it. */
  prepared<Values extends readonly unknown[], Row>(
    write: (...values: Values) => Compilable<Row>,
  ): Prepared<Values, Row> {
    const places = Array.from({ length: write.length }, (_, index) => new Place(index));
    // Kysely hands values through without a look at them, so a place can stand for each.
    const { sql, parameters } = write(...(places as unknown as Values)).compile();
    const isInOrder =
      parameters.length === places.length &&
      parameters.every((parameter, index) => parameter instanceof Place && parameter.index === index);
    const bound = isInOrder
      ? (values: Values): readonly unknown[] => values
      : (values: Values) =>
          parameters.map((parameter) => (parameter instanceof Place ? values[parameter.index] : parameter));
    return {
      rows: (...values) => this.#try(() => this.#statement(sql).all(...bound(values)) as Row[]),
      row: (...values) => this.#try(() => this.#statement(sql).get(...bound(values)) as Row | undefined),
      run: (...values) => this.#try(() => this.#statement(sql).run(...bound(values)).changes),
    };
  }

  exec(sql: string): void {
    this.#try(() => {
      this.#driver.exec(sql);
    });
  }

  pragma(name: string): unknown {
    const row = this.#try(
      () => this.#statement(`pragma ${name}`).get() as Record<string, unknown> | undefined,
    );
    return row && Object.values(row)[0];
  }

  /**
   * All of the work or none, and nobody else's in between. When it returns, a crash of the process
   * changes nothing any more; with `durable` a power cut neither, and this goes for all that was
   * committed before as well: the log that is synced is one file.
   */
  transaction<Result>(work: () => Result, { durable }: { readonly durable: boolean }): Result {
    if (this.#isDurable !== durable) this.exec(`pragma synchronous = ${durable ? "full" : "normal"}`);
    this.#isDurable = durable;
    this.exec("begin immediate");
    try {
      const result = work();
      this.exec("commit");
      return result;
    } catch (thrown) {
      this.#rollBack();
      throw thrown;
    }
  }

  /**
   * Brings the write-ahead log into the file and empties it, unless someone else is reading or writing
   * just now. SQLite does that when the last connection is closed, but this driver's live on until their
   * statements are garbage.
   */
  emptyLog(): void {
    this.exec("pragma busy_timeout = 0");
    this.exec("pragma wal_checkpoint(truncate)");
    this.exec(`pragma busy_timeout = ${BUSY_MILLISECONDS}`);
  }

  close(): void {
    this.#statements.clear();
    this.#driver.close();
  }

  #rollBack(): void {
    try {
      this.#driver.exec("rollback");
    } catch {
      // SQLite has done so itself, as it does when the disk is full. Why it did is the error to tell.
    }
  }

  #statement(sql: string): StatementSyncInstance {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#driver.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #try<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw fileError(this.file, thrown, this.what);
    }
  }
}

class Place {
  constructor(readonly index: number) {}
}

const BUSY = 5;
const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
/** The memory that processes share is a file too: SQLite calls it an I/O error when that cannot grow. */
const NO_ROOM_FOR_MEMORY = 4874;
/** ENOSPC. */
const NO_SPACE = 28;

/** The system's own number, where the driver tells it. */
function errnoOf(error: Error): unknown {
  return "systemErrno" in error ? error.systemErrno : undefined;
}

/** What the driver threw, told as what it means for the file. */
export function fileError(file: string, thrown: unknown, what = "ledger"): unknown {
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number")
    return thrown;
  const isFull = thrown.errcode === NO_ROOM_FOR_MEMORY || errnoOf(thrown) === NO_SPACE;
  const { code, words } = meaning(isFull ? FULL : thrown.errcode, thrown.message);
  return new LedgerFileError(code, `The ${what} ${file} ${words}`, { cause: thrown });
}

function meaning(
  errcode: number,
  message: string,
): { readonly code: LedgerFileErrorCode; readonly words: string } {
  // The low byte says what it is, the others only which kind of it.
  switch (errcode & 0xff) {
    case BUSY:
      return {
        code: "LEDGER_BUSY",
        words: `is locked: another process has been writing to it for ${BUSY_MILLISECONDS / 1000} seconds. Nothing was written; look for a process that hangs, or try again.`,
      };
    case READ_ONLY:
      return {
        code: "LEDGER_READ_ONLY",
        words: `can only be read (${message}). Nothing was written; make the file and its folder writable, or use another file.`,
      };
    case FULL:
      return {
        code: "LEDGER_FULL",
        words: `cannot grow: the disk is full (${message}). Nothing was written, and what was written before is safe; make room and try again.`,
      };
    case CORRUPT:
    case NOT_A_DATABASE:
      return {
        code: "LEDGER_DAMAGED",
        words: `is damaged (${message}). Nothing was changed; put a backup in its place, or use another file.`,
      };
    default:
      return { code: "LEDGER_FAILED", words: `failed: ${message} (SQLite ${errcode}). Nothing was written.` };
  }
}
