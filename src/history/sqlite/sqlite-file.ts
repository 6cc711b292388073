/**
 * Opens the file of a ledger (or of the index beside one), makes it when there is none, and brings it up to date.
 *
 * What must stay true: only its owner can read it; a file that is not ours, or is newer than we are, is
 * left as it was. It is ours when its header says so, and the header says so from the first transaction
 * on, because that one is made before there is a write-ahead log beside the file that could hold it back.
 */
import { closeSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { LedgerFileError } from "../ledger-file-error.js";
import { BUSY_MILLISECONDS, fileError, SqliteDatabase } from "./sqlite-database.js";
import { MIGRATIONS } from "./sqlite-tables.js";

export type FileKind = {
  /** SQLite keeps a number for whose file it is. */
  readonly applicationId: number;
  /** For the reader of a message. */
  readonly what: string;
  readonly migrations: readonly string[];
};

/** "Tgat". */
const LEDGER_FILE: FileKind = { applicationId: 0x54676174, what: "ledger", migrations: MIGRATIONS };

export function openLedgerFile(file: string): Promise<SqliteDatabase> {
  return openFile(file, LEDGER_FILE);
}

export function openLedgerToRead(file: string): Promise<SqliteDatabase> {
  return openToRead(file, LEDGER_FILE);
}

/** A file that is there but cannot be written can be read all the same. */
export async function openFile(file: string, kind: FileKind): Promise<SqliteDatabase> {
  // Absolute, so that a name like ":memory:" is a file's name.
  const path = resolve(file);
  const driver = await loadDriver();
  createIfMissing(path, kind);
  await checkIsOurs(path, driver, kind);
  const database = new SqliteDatabase(path, new driver.DatabaseSync(path), kind.what);
  try {
    database.exec("pragma foreign_keys = on");
    // SQLite overwrites removed rows, and does not only unlink them.
    database.exec("pragma secure_delete = on");
    migrate(database, kind);
    await useWriteAheadLog(database);
    return database;
  } catch (thrown) {
    database.close();
    if (isReadOnly(thrown)) return openToRead(path, kind);
    throw thrown;
  }
}

/** Makes nothing, brings nothing up to date. */
async function openToRead(file: string, kind: FileKind): Promise<SqliteDatabase> {
  const path = resolve(file);
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
      checkVersion(database, kind);
      return database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  };
  try {
    return open(path);
  } catch (thrown) {
    // SQLite needs files of its own beside this one. Where it can make none and nobody has left any, nobody writes.
    if (!isReadOnly(thrown) || hasLog(path)) throw fileError(path, thrown, kind.what);
    return open(asUnchanged(path));
  }
}

/** Also when SQLite cannot make the files that it needs beside this one. */
function isReadOnly(thrown: unknown): boolean {
  if (thrown instanceof LedgerFileError && thrown.code === "LEDGER_READ_ONLY") return true;
  return causeOf(thrown) === CANNOT_OPEN;
}

const CORRUPT = 11;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** SQLite's number for it, if it is SQLite's error. */
function causeOf(thrown: unknown): number | undefined {
  const cause = thrown instanceof LedgerFileError ? thrown.cause : thrown;
  return cause instanceof Error && "errcode" in cause ? Number(cause.errcode) & 0xff : undefined;
}

function hasLog(path: string): boolean {
  return (statSync(`${realpathSync(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The file as one that nobody changes: SQLite takes no lock, minds no write-ahead log and leaves nothing beside it. */
function asUnchanged(path: string): URL {
  const location = pathToFileURL(path);
  location.searchParams.set("immutable", "1");
  return location;
}

type Driver = {
  readonly DatabaseSync: new (
    location: string | URL,
    options?: { readonly readOnly: boolean },
  ) => DatabaseSyncInstance;
};

/** Node's own SQLite where there is one; the package has the same interface, and is loaded only where it is needed. */
async function loadDriver(): Promise<Driver> {
  // The types of Node 20 do not know node:sqlite.
  const builtin = process.getBuiltinModule("node:sqlite") as Driver | undefined;
  return builtin ?? import("@photostructure/sqlite");
}

function createIfMissing(path: string, { what }: FileKind): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives the files that it puts beside this one the same mode.
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown)) throw thrown;
    if (thrown.code !== "EEXIST" || !statSync(path, { throwIfNoEntry: false })) {
      const why = thrown.code === "EEXIST" ? "it is a link to nowhere" : thrown.message;
      throw new LedgerFileError(
        "LEDGER_FAILED",
        `The ${what} ${path} cannot be made: ${why}. Nothing was written; use another file.`,
        { cause: thrown },
      );
    }
  }
}

function checkIsThere(path: string, { what }: FileKind): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  throw new LedgerFileError(
    "LEDGER_FAILED",
    `There is no ${what} ${path}. Nothing was read, and none was begun.`,
  );
}

/**
 * By SQLite, as a file that nobody changes. Not by `node:fs`: when any descriptor of a file is closed, its
 * process loses all locks on that file, and it may have the same ledger open already.
 */
async function checkIsOurs(path: string, driver: Driver, kind: FileKind): Promise<void> {
  // Just made, by us or by another process that is still at it.
  if (statSync(path).size === 0) return;
  const applicationId = await applicationIdOf(path, driver, kind);
  if (applicationId !== kind.applicationId)
    throw notOurs(path, "it is an SQLite file of another program", kind);
}

/** A file that another process is just beginning looks damaged until all of its pages are there. */
async function applicationIdOf(path: string, driver: Driver, kind: FileKind): Promise<unknown> {
  for (const deadline = performance.now() + BEGINNING_MILLISECONDS; ;) {
    try {
      return readApplicationId(path, asUnchanged(path), driver, kind);
    } catch (error) {
      if (causeOf(error) === NOT_A_DATABASE) throw notOurs(path, "it is no SQLite file", kind);
      if (causeOf(error) !== CORRUPT) throw error;
      // While someone reads, and after a kill, only a part of the log may have been brought into the file: only
      // together are they whole.
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

const BEGINNING_MILLISECONDS = 1_000;

function notOurs(path: string, why: string, { what }: FileKind): LedgerFileError {
  return new LedgerFileError(
    "NOT_A_LEDGER",
    `${path} is not a toolgate ${what}: ${why}. It was not changed; use another file.`,
  );
}

function migrate(database: SqliteDatabase, kind: FileKind): void {
  const { migrations, applicationId } = kind;
  if (checkVersion(database, kind) === migrations.length) return;
  const migrateNow = () => {
    // Again, now that nobody else can write: another process may have been first.
    for (const step of migrations.slice(checkVersion(database, kind))) database.exec(step);
    database.exec(`pragma application_id = ${applicationId}`);
    database.exec(`pragma user_version = ${migrations.length}`);
  };
  database.transaction(migrateNow, { durable: true });
}

/** The version of its tables, if we know that one. */
function checkVersion(database: SqliteDatabase, { what, migrations: { length } }: FileKind): number {
  const version = Number(database.pragma("user_version"));
  if (version <= length) return version;
  throw new LedgerFileError(
    "LEDGER_TOO_NEW",
    `The ${what} ${database.file} was written by a newer toolgate: its tables are version ${version}, and this toolgate knows them up to ${length}. It was not changed; update toolgate, or use another file.`,
  );
}

/** The change needs the file alone for a moment. When several begin a file at once, SQLite does not always wait for that. */
async function useWriteAheadLog(database: SqliteDatabase): Promise<void> {
  for (const deadline = performance.now() + BUSY_MILLISECONDS; ;) {
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
