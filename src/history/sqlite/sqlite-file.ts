/**
 * Opens the file of a ledger (or of the index beside one), creates it when there is none, and migrates it.
 *
 * Invariants: only its owner can read the file; no folder is created; a file that is not ours, or newer than this program, stays
 * unchanged. The header marks a file as ours from the first transaction on, because that one runs before the
 * file has a write-ahead log that could delay it.
 */
import { closeSync, openSync, realpathSync, statfsSync, statSync, type Stats } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { errorCode } from "../../call/error-code.js";
import { LedgerFileError } from "../ledger-file-error.js";
import {
  BUSY_TIMEOUT_MS,
  CANNOT_OPEN,
  CORRUPT,
  damagedFile,
  fileError,
  fullDisk,
  NOT_A_DATABASE,
  REFUSED,
  SqliteDatabase,
  sqliteNumber,
} from "./sqlite-database.js";
import { MIGRATIONS } from "./migrations.js";

export type FileKind = {
  /** SQLite's number for the program that a file belongs to. */
  readonly applicationId: number;
  /** The kind of file, for messages. */
  readonly what: string;
  readonly migrations: readonly string[];
};

/** "Tgat". */
const LEDGER_FILE: FileKind = { applicationId: 0x54676174, what: "ledger", migrations: MIGRATIONS };

export function openLedgerFile(file: string): Promise<SqliteDatabase> {
  return openFile(file, LEDGER_FILE);
}

/** `mayBeEmpty`: the reader does without the tables of a file whose creation did not end. */
export function openLedgerToRead(file: string, mayBeEmpty = false): Promise<SqliteDatabase> {
  return openToRead(file, LEDGER_FILE, mayBeEmpty);
}

/** How long the write-ahead log gets, in pages of 4 KiB, before a commit merges it into the file. */
const LOG_PAGES = 4_000;

/** Opens a file that cannot be written for reading. */
export async function openFile(file: string, kind: FileKind): Promise<SqliteDatabase> {
  // Absolute, so that a name like ":memory:" is a file's name.
  const path = resolve(file);
  checkKindOfFile(path, kind);
  const driver = await loadDriver();
  createIfMissing(path, kind);
  await checkIsOurs(path, driver, kind);
  const database = new SqliteDatabase(path, new driver.DatabaseSync(path), kind.what);
  try {
    database.exec("pragma foreign_keys = on");
    // SQLite overwrites removed rows, and does not only unlink them.
    database.exec("pragma secure_delete = on");
    // At the default of 1,000 pages, most turns of many calls would wait for the log to be merged into the file.
    database.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
    migrate(database, kind);
    await useWriteAheadLog(database);
    checkRoots(database);
    return database;
  } catch (thrown) {
    database.close();
    if (!isReadOnly(thrown)) throw thrown;
    const toRead = await openToRead(path, kind);
    // SQLite could not make its own files beside this one, and says only that.
    if (isOutOfRoom(path)) toRead.refuseWrites(fullDisk(path, kind.what));
    return toRead;
  }
}

/** Creates nothing and migrates nothing. */
async function openToRead(file: string, kind: FileKind, mayBeEmpty = false): Promise<SqliteDatabase> {
  const path = resolve(file);
  checkKindOfFile(path, kind);
  const driver = await loadDriver();
  checkIsThere(path, kind);
  await checkIsOurs(path, driver, kind);
  const open = (location: string | URL): SqliteDatabase => {
    const database = new SqliteDatabase(
      path,
      new driver.DatabaseSync(location, { readOnly: true }),
      kind.what,
    );
    try {
      if (location instanceof URL) database.exec("pragma locking_mode = exclusive");
      if (checkVersion(database, kind) === 0 && !mayBeEmpty) throw isEmpty(path, kind);
      checkRoots(database);
      return database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  };
  try {
    return open(path);
  } catch (thrown) {
    // SQLite needs its own files beside this one. Where it cannot create them and none exist, nobody writes; the same where
    // they have no room: who writes has them already.
    if (!isReadOnly(thrown) && !isFull(thrown)) throw fileError(path, thrown, kind.what);
    return open(hasLog(path) ? withoutLocks(path) : asUnchanged(path));
  }
}

/** The tables in memory, empty: for an index that no file can hold. `file` is for messages. */
export async function openInMemory(file: string, kind: FileKind): Promise<SqliteDatabase> {
  const driver = await loadDriver();
  const database = new SqliteDatabase(file, new driver.DatabaseSync(":memory:"), kind.what);
  database.exec("pragma foreign_keys = on");
  migrate(database, kind);
  return database;
}

/** True for an error that means: this file cannot be written, or not here. */
export function cannotBeWritten(thrown: unknown): boolean {
  if (isReadOnly(thrown)) return true;
  if (!(thrown instanceof LedgerFileError)) return UNWRITABLE.has(errorCode(thrown) ?? "");
  return isFull(thrown) || cannotBeWritten(thrown.cause);
}

const UNWRITABLE: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT"]);

/** True also when SQLite cannot create the files that it needs beside this one. */
function isReadOnly(thrown: unknown): boolean {
  if (thrown instanceof LedgerFileError && thrown.code === "LEDGER_READ_ONLY") return true;
  return causeOf(thrown) === CANNOT_OPEN;
}

const isFull = (thrown: unknown): boolean =>
  thrown instanceof LedgerFileError && thrown.code === "LEDGER_FULL";

/** SQLite's error code, if the error is SQLite's. */
function causeOf(thrown: unknown): number | undefined {
  const number = sqliteNumber(thrown instanceof LedgerFileError ? thrown.cause : thrown);
  return number === undefined ? undefined : number & 0xff;
}

/**
 * Reads a first row of every table, which fails when a table's root is damaged. The whole file takes seconds to read;
 * `verify` does that.
 */
function checkRoots(database: SqliteDatabase): void {
  const sql = `select group_concat('exists (select 1 from "' || replace(name, '"', '""') || '")', ', ') as reads
    from sqlite_schema where type = 'table' and rootpage > 0`;
  // One row: the package's error for several rows has no number.
  const reads = database.prepare<[], { readonly reads: string | null }>({ sql }).row()?.reads;
  if (reads) database.exec(`select ${reads}`);
}

function hasLog(path: string): boolean {
  return (statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The URL of the file as an immutable one: SQLite takes no lock, reads no write-ahead log and creates no file. */
function asUnchanged(path: string): URL {
  const location = pathToFileURL(path);
  location.searchParams.set("immutable", "1");
  return location;
}

/**
 * A log that its process left on media that cannot be written is read without the index of it that SQLite keeps in a
 * file. That needs exclusive access, which such media cannot lock and nobody else can use.
 */
function withoutLocks(path: string): URL {
  const location = pathToFileURL(path);
  location.searchParams.set("vfs", "unix-none");
  return location;
}

type Driver = {
  readonly DatabaseSync: new (
    location: string | URL,
    options?: { readonly readOnly: boolean },
  ) => DatabaseSyncInstance;
};

/** Node's own SQLite where it exists; the package has the same interface, and is loaded only where it is needed. */
async function loadDriver(): Promise<Driver> {
  // The types of Node 20 do not know node:sqlite.
  const builtin = process.getBuiltinModule("node:sqlite") as Driver | undefined;
  return builtin ?? import("@photostructure/sqlite");
}

function createIfMissing(path: string, { what }: FileKind): void {
  try {
    // SQLite gives the files that it puts beside this one the same mode.
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === undefined) throw thrown;
    if (code === "EEXIST" && statSync(path, { throwIfNoEntry: false })) return;
    const { why, next } = notMade(path, code, thrown);
    throw new LedgerFileError(
      code === "ENOSPC" || code === "EDQUOT" ? "LEDGER_FULL" : "LEDGER_FAILED",
      `The ${what} ${path} cannot be made: ${why}. Nothing was written; ${next}.`,
      { cause: thrown },
    );
  }
}

function notMade(
  path: string,
  code: string,
  thrown: unknown,
): { readonly why: string; readonly next: string } {
  const next = "use another file";
  switch (code) {
    case "EEXIST":
      return { why: "it is a link to nowhere", next };
    case "ENOENT":
      return { why: `there is no folder ${dirname(path)}`, next: `create the folder, or ${next}` };
    case "ENOSPC":
      return { why: "the disk is full", next: "make room and try again" };
    case "EDQUOT":
      return { why: "the disk is full: its quota is used up", next: "make room and try again" };
    case "EROFS":
      return { why: "its file system is read-only", next };
    case "EACCES":
    case "EPERM":
      return { why: `you may not write to ${dirname(path)}`, next };
    default:
      return { why: thrown instanceof Error ? thrown.message : code, next };
  }
}

/** A pipe would be waited for, and a device would swallow the history. SQLite would not name the file that it could not use. */
function checkKindOfFile(path: string, kind: FileKind): void {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (errorCode(thrown) === "ELOOP") throw notOurs(path, "it is a link that leads to itself", kind);
    // Opening the file says why it cannot be used.
    return;
  }
  if (!stats) return;
  if (!stats.isFile()) throw notOurs(path, `it is ${otherKind(stats)}`, kind);
  for (const beside of [`${realpathSync(path)}-wal`, `${realpathSync(path)}-shm`]) {
    const there = statSync(beside, { throwIfNoEntry: false });
    if (!there || there.isFile()) continue;
    throw new LedgerFileError(
      "LEDGER_FAILED",
      `The ${kind.what} ${path} cannot be opened: ${basename(beside)}, which SQLite needs beside it, is ${otherKind(there)}. Nothing was changed; move that away.`,
      { file: path },
    );
  }
}

const otherKind = (stats: Stats): string => (stats.isDirectory() ? "a folder" : "no regular file");

/** True when no file can be made beside this one. */
function isOutOfRoom(path: string): boolean {
  const { bavail, files, ffree } = statfsSync(dirname(path));
  // Some file systems do not count their files.
  return bavail === 0 || (files > 0 && ffree === 0);
}

function checkIsThere(path: string, { what }: FileKind): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  throw new LedgerFileError(
    "LEDGER_FAILED",
    `There is no ${what} ${path}. Nothing was read, and none was created.`,
  );
}

/** A crash or a full disk ended its creation, or another process is creating it now. */
const isEmpty = (path: string, { what }: FileKind): LedgerFileError =>
  new LedgerFileError(
    "LEDGER_FAILED",
    `The ${what} ${path} is empty: nothing was recorded in it yet. Nothing was read; what records next completes it.`,
    { file: path },
  );

/**
 * SQLite reads the header of the file as an immutable one. `node:fs` must not: when any descriptor of a file is
 * closed, its process loses all locks on that file, and it may have the same ledger open already.
 */
async function checkIsOurs(path: string, driver: Driver, kind: FileKind): Promise<void> {
  // An empty file was just created, by us or by another process that has not finished.
  if (statSync(path).size === 0) return;
  const applicationId = await applicationIdOf(path, driver, kind);
  if (applicationId !== kind.applicationId)
    throw notOurs(path, "it is an SQLite file of another program", kind);
}

/** A file that another process is creating looks damaged until all of its pages are written. */
async function applicationIdOf(path: string, driver: Driver, kind: FileKind): Promise<unknown> {
  for (const deadline = performance.now() + CREATION_TIMEOUT_MS; ;) {
    try {
      return readApplicationId(path, asUnchanged(path), driver, kind);
    } catch (error) {
      if (causeOf(error) === NOT_A_DATABASE) throw notOurs(path, "it is no SQLite file", kind);
      if (causeOf(error) !== CORRUPT) throw error;
      // While someone reads, and after a kill, only a part of the log may be merged into the file: only both
      // together are complete.
      if (hasLog(path)) return readApplicationId(path, path, driver, kind);
      if (performance.now() > deadline) throw error;
      await setTimeout(10);
    }
  }
}

function readApplicationId(
  path: string,
  location: string | URL,
  { DatabaseSync }: Driver,
  { what }: FileKind,
): unknown {
  try {
    const database = new SqliteDatabase(path, new DatabaseSync(location, { readOnly: true }), what);
    try {
      return database.pragma("application_id");
    } finally {
      database.close();
    }
  } catch (thrown) {
    throw fileError(path, thrown, what);
  }
}

const CREATION_TIMEOUT_MS = 1_000;

function notOurs(path: string, why: string, { what }: FileKind): LedgerFileError {
  return new LedgerFileError(
    "NOT_A_LEDGER",
    `${path} is not a toolgate ${what}: ${why}. Nothing was changed; use another file.`,
    {
      file: path,
      messageWithoutPath: `This is not a toolgate ${what}: ${why}. Nothing was changed; use another file.`,
    },
  );
}

function migrate(database: SqliteDatabase, kind: FileKind): void {
  const { migrations, applicationId } = kind;
  if (checkVersion(database, kind) === migrations.length) return;
  const migrateNow = () => {
    // The version is read again under the lock: another process may have migrated first.
    for (const step of migrations.slice(checkVersion(database, kind))) database.exec(step);
    database.exec(`pragma application_id = ${applicationId}`);
    database.exec(`pragma user_version = ${migrations.length}`);
  };
  try {
    database.transaction(migrateNow, { durable: true });
  } catch (thrown) {
    if (causeOf(thrown) !== REFUSED) throw thrown;
    // Our own statements are refused only where the tables are not those of the version in the header.
    throw damagedFile(database.file, "its header and its tables are of different versions", kind.what);
  }
}

/** The version of the file's tables; throws for an unknown one. */
function checkVersion(database: SqliteDatabase, { what, migrations: { length } }: FileKind): number {
  const version = Number(database.pragma("user_version"));
  if (version <= length) return version;
  throw new LedgerFileError(
    "LEDGER_TOO_NEW",
    `The ${what} ${database.file} was written by a newer toolgate: its tables are version ${version}, and this toolgate knows them up to ${length}. Nothing was changed; update toolgate, or use another file.`,
    { file: database.file },
  );
}

/** The change needs exclusive access. When several processes create a file at once, SQLite does not always wait for it. */
async function useWriteAheadLog(database: SqliteDatabase): Promise<void> {
  for (const deadline = performance.now() + BUSY_TIMEOUT_MS; ;) {
    try {
      const mode = database.pragma("journal_mode = wal");
      if (mode === "wal") return;
      throw new LedgerFileError(
        "LEDGER_FAILED",
        `The ${database.what} ${database.file} cannot have a write-ahead log where it is (SQLite says "${String(mode)}"). Nothing was written; put it on a local disk.`,
      );
    } catch (thrown) {
      const isBusy = thrown instanceof LedgerFileError && thrown.code === "LEDGER_BUSY";
      if (!isBusy || performance.now() > deadline) throw thrown;
      await setTimeout(5);
    }
  }
}
