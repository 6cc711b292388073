/**
 * An open SQLite file: statements that are compiled once, and transactions.
 *
 * The driver is synchronous on purpose: in an asynchronous transaction other code would run between two statements, and
 * a second connection in the same thread would wait for a lock that cannot be released while it waits. Invariants: a
 * transaction has no `await` in it, and holds its lock no longer than its work; a closed connection keeps no statement.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { errorCode } from "../../call/error-code.js";
import { LedgerFileError, type LedgerFileErrorCode } from "../ledger-file-error.js";
import type { SqlValue, Statement } from "./ledger-sql.js";

/** The time to wait for another process that writes. A write takes a millisecond, unless its process is stopped. */
export const BUSY_TIMEOUT_MS = 5000;
/** SQLite's own wait backs off to 100 ms, so one of several waiting processes could wait for many short writes. */
const BUSY_RETRY_MS = 1;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

export type TransactionOptions = {
  readonly durable: boolean;
  /** Called while another process has the lock; an error from it ends the wait. */
  readonly onBusy?: (() => void) | undefined;
  /** How long to wait for the lock, which blocks the event loop. */
  readonly busyMs?: number;
};

export class SqliteDatabase {
  readonly #driver: DatabaseSyncInstance;
  // Bounded by the number of statements in the code.
  readonly #prepared = new Map<string, PreparedStatement<readonly SqlValue[], unknown>>();
  #isDurable: boolean | undefined;
  #writeRefusal: LedgerFileError | undefined;

  /** `what`: the kind of file, for messages. */
  constructor(
    readonly file: string,
    driver: DatabaseSyncInstance,
    readonly what = "ledger",
  ) {
    this.#driver = driver;
    this.#driver.exec("pragma busy_timeout = 0");
  }

  /** A statement is compiled at its first run, since an older file may lack a table that it names. */
  prepare<Values extends readonly SqlValue[], Row>({
    sql,
  }: Statement<Values, Row>): PreparedStatement<Values, Row> {
    const known = this.#prepared.get(sql);
    // The types are the statement's, and one text is one statement.
    if (known) return known as PreparedStatement<Values, Row>;
    const prepared = new PreparedStatement<Values, Row>(
      () => this.#driver.prepare(sql),
      (thrown) => this.#named(thrown),
    );
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  prepareAll<Statements extends Readonly<Record<string, Statement<readonly SqlValue[], unknown>>>>(
    statements: Statements,
  ): PreparedStatements<Statements> {
    const entries = Object.entries(statements).map(([name, statement]) => [name, this.prepare(statement)]);
    // Each name maps to its own statement type, which the type of `fromEntries` cannot express.
    return Object.fromEntries(entries) as PreparedStatements<Statements>;
  }

  /** The rows of an ad-hoc statement; the caller names their type. */
  select<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.prepare<readonly SqlValue[], Row>({ sql }).rows(...values);
  }

  /** Returns the number of changed rows. */
  change(sql: string, values: readonly SqlValue[] = []): number {
    return this.prepare<readonly SqlValue[], never>({ sql }).run(...values);
  }

  exec(sql: string, wait: LockWait = {}): void {
    try {
      whileBusy(() => this.#driver.exec(sql), wait);
    } catch (thrown) {
      throw this.#named(thrown);
    }
  }

  /** Why this file, which is open to be read, cannot be written. */
  refuseWrites(why: LedgerFileError): void {
    this.#writeRefusal = why;
  }

  #named(thrown: unknown): unknown {
    const error = fileError(this.file, thrown, this.what);
    const isRefused = error instanceof LedgerFileError && error.code === "LEDGER_READ_ONLY";
    return (isRefused && this.#writeRefusal) || error;
  }

  pragma(name: string): unknown {
    const row = this.prepare<[], Record<string, unknown>>({ sql: `pragma ${name}` }).row();
    return row && Object.values(row)[0];
  }

  /**
   * Does all of the work or none, with no other writes in between. After the return the work survives a crash of
   * the process; with `durable` also a power cut, together with all earlier commits, since the synced log is one
   * file.
   */
  transaction<Result>(work: () => Result, { durable, ...wait }: TransactionOptions): Result {
    if (this.#isDurable !== durable) this.exec(`pragma synchronous = ${durable ? "full" : "normal"}`);
    this.#isDurable = durable;
    this.exec("begin immediate", wait);
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
   * Merges the write-ahead log into the file and empties it, unless someone else is reading or writing. SQLite
   * does that when the last connection closes, but this driver's connections live until their statements are
   * garbage-collected.
   */
  emptyLog(): void {
    this.exec("pragma wal_checkpoint(truncate)");
  }

  close(): void {
    for (const statement of this.#prepared.values()) statement.forget();
    this.#driver.close();
  }

  #rollBack(): void {
    try {
      this.#driver.exec("rollback");
    } catch {
      // SQLite rolls back by itself when the disk is full. The caller gets the first error.
    }
  }
}

export type PreparedStatements<Statements> = {
  readonly [Name in keyof Statements]: Statements[Name] extends Statement<infer Values, infer Row>
    ? PreparedStatement<Values, Row>
    : never;
};

/** One statement of one connection. */
class PreparedStatement<Values extends readonly SqlValue[], Row> {
  readonly #compile: () => StatementSyncInstance;
  readonly #asFileError: (thrown: unknown) => unknown;
  #statement: StatementSyncInstance | undefined;

  constructor(compile: () => StatementSyncInstance, asFileError: (thrown: unknown) => unknown) {
    this.#compile = compile;
    this.#asFileError = asFileError;
  }

  rows(...values: Values): Row[] {
    try {
      // The driver knows no types; the statement names them.
      return whileBusy(() => (this.#statement ??= this.#compile()).all(...values) as Row[]);
    } catch (thrown) {
      throw this.#asFileError(thrown);
    }
  }

  row(...values: Values): Row | undefined {
    try {
      return whileBusy(() => (this.#statement ??= this.#compile()).get(...values) as Row | undefined);
    } catch (thrown) {
      throw this.#asFileError(thrown);
    }
  }

  /** Returns the number of changed rows. */
  run(...values: Values): number {
    try {
      return whileBusy(() => (this.#statement ??= this.#compile()).run(...values).changes);
    } catch (thrown) {
      throw this.#asFileError(thrown);
    }
  }

  forget(): void {
    this.#statement = undefined;
  }
}

type LockWait = Pick<TransactionOptions, "onBusy" | "busyMs">;

/** Repeats a step that failed because another process has the lock. The step blocks, like every other one. */
function whileBusy<Result>(step: () => Result, { onBusy, busyMs = BUSY_TIMEOUT_MS }: LockWait = {}): Result {
  let deadline: number | undefined;
  for (;;) {
    try {
      return step();
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
      onBusy?.();
      deadline ??= performance.now() + busyMs;
      if (performance.now() >= deadline) throw thrown;
      Atomics.wait(SLEEPER, 0, 0, BUSY_RETRY_MS);
    }
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && "errcode" in thrown && (Number(thrown.errcode) & 0xff) === BUSY;
}

/** A statement that does not fit the tables. */
export const REFUSED = 1;
const BUSY = 5;
const READ_ONLY = 8;
export const CORRUPT = 11;
const FULL = 13;
export const CANNOT_OPEN = 14;
export const NOT_A_DATABASE = 26;
/** SQLite's fixed texts: the package's `all()` throws errors that have only these, and no number. */
const NUMBERS: { readonly [text: string]: number | undefined } = {
  "database is locked": BUSY,
  "attempt to write a readonly database": READ_ONLY,
  "database disk image is malformed": CORRUPT,
  "database or disk is full": FULL,
  "unable to open database file": CANNOT_OPEN,
  "file is not a database": NOT_A_DATABASE,
};
/** Shared memory is a file too: SQLite reports an I/O error when it cannot grow. */
const NO_ROOM_FOR_MEMORY = 4874;
/** ENOSPC. */
const NO_SPACE = 28;

/** The system's error number, where the driver has it. */
function errnoOf(error: Error): unknown {
  return "systemErrno" in error ? error.systemErrno : undefined;
}

/** SQLite's number of an error, with its subcode; undefined for an error that is not the driver's. */
export function sqliteNumber(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if ("errcode" in thrown && typeof thrown.errcode === "number") return thrown.errcode;
  return errorCode(thrown) === "ERR_SQLITE_ERROR" ? (NUMBERS[thrown.message] ?? REFUSED) : undefined;
}

/** The driver's error as an error of the file, with a sentence for people. */
export function fileError(file: string, thrown: unknown, what = "ledger"): unknown {
  const number = sqliteNumber(thrown);
  if (number === undefined || !(thrown instanceof Error)) return thrown;
  const closed = (number & 0xff) === CANNOT_OPEN ? unreadable(file) : undefined;
  if (closed !== undefined)
    return new LedgerFileError(
      "LEDGER_FAILED",
      `The ${what} ${file} cannot be read: ${basename(closed)} belongs to another user, or its mode forbids it. Nothing was written; change its owner or mode, or use another file.`,
      { cause: thrown, file },
    );
  const isFull = number === NO_ROOM_FOR_MEMORY || errnoOf(thrown) === NO_SPACE;
  const { code, words } = meaning(isFull ? FULL : number, thrown.message, what);
  return new LedgerFileError(code, `The ${what} ${file} ${words}`, { cause: thrown, file });
}

/** The first file of the database that this process may not read, which SQLite does not name. Nothing is opened: closing would lose locks. */
function unreadable(file: string): string | undefined {
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  return [file, `${file}-wal`, `${file}-shm`].find((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats || user === undefined || user === 0) return false;
    const right = stats.uid === user ? 0o400 : stats.gid === group ? 0o040 : 0o004;
    return (stats.mode & right) === 0;
  });
}

export function fullDisk(file: string, what: string): LedgerFileError {
  const { code, words } = meaning(FULL, "no further file can be made", what);
  return new LedgerFileError(code, `The ${what} ${file} ${words}`, { file });
}

/** `detail`: SQLite's description of the damage. */
export function damagedFile(file: string, detail: string, what = "ledger"): LedgerFileError {
  const { code, words } = meaning(CORRUPT, detail.replaceAll(/\s+/gu, " "), what);
  return new LedgerFileError(code, `The ${what} ${file} ${words}`, { file });
}

function meaning(
  errcode: number,
  message: string,
  what: string,
): { readonly code: LedgerFileErrorCode; readonly words: string } {
  // The low byte is the error code, the others a subcode.
  switch (errcode & 0xff) {
    case BUSY:
      return {
        code: "LEDGER_BUSY",
        words: `is locked: another process has been writing to it for ${BUSY_TIMEOUT_MS / 1000} seconds. Nothing was written; look for a process that hangs, or try again.`,
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
        words: `is damaged (${message}). Nothing was changed; ${what === "ledger" ? "put a backup in its place, or use another file" : "delete it: it is made again from the ledger"}.`,
      };
    default:
      return { code: "LEDGER_FAILED", words: `failed: ${message} (SQLite ${errcode}). Nothing was written.` };
  }
}
