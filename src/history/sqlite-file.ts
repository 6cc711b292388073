/**
 * Opens the file of a ledger, makes it when there is none, and brings it up to date.
 *
 * What must stay true: only its owner can read it; a file that is not ours, or is newer than we are, is
 * left as it was. It is ours when its header says so, and the header says so from the first transaction
 * on, because that one is made before there is a write-ahead log beside the file that could hold it back.
 */
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { LedgerFileError } from "./ledger-file-error.js";
import { BUSY_MILLISECONDS, fileError, SqliteDatabase } from "./sqlite-database.js";
import { MIGRATIONS } from "./sqlite-tables.js";

/** "Tgat": SQLite keeps a number for whose file it is. */
const APPLICATION_ID = 0x54676174;

export async function openLedgerFile(file: string): Promise<SqliteDatabase> {
  // Absolute, so that a name like ":memory:" is a file's name.
  const path = resolve(file);
  const driver = await loadDriver();
  createIfMissing(path);
  checkIsOurs(path, driver);
  const database = new SqliteDatabase(path, new driver.DatabaseSync(path));
  try {
    database.exec("pragma foreign_keys = on");
    // What was removed is overwritten, not only unlinked.
    database.exec("pragma secure_delete = on");
    migrate(database);
    await useWriteAheadLog(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
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

function createIfMissing(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // SQLite gives the files that it puts beside this one the same mode.
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
  }
}

/**
 * By SQLite, as a file that nobody changes: so it needs no lock, minds no write-ahead log and leaves
 * nothing beside the file. Not by `node:fs`: when any descriptor of a file is closed, its process loses
 * all locks on that file, and it may have the same ledger open already.
 */
function checkIsOurs(path: string, { DatabaseSync }: Driver): void {
  // Just made, by us or by another process that is still at it.
  if (statSync(path).size === 0) return;
  const location = pathToFileURL(path);
  location.searchParams.set("immutable", "1");
  let applicationId: unknown;
  try {
    const unchanged = new SqliteDatabase(path, new DatabaseSync(location, { readOnly: true }));
    try {
      applicationId = unchanged.pragma("application_id");
    } finally {
      unchanged.close();
    }
  } catch (thrown) {
    const error = fileError(path, thrown);
    if (!(error instanceof LedgerFileError) || error.code !== "LEDGER_DAMAGED") throw error;
    throw notOurs(path, "it is no SQLite file");
  }
  if (applicationId !== APPLICATION_ID) throw notOurs(path, "it is an SQLite file of another program");
}

function notOurs(path: string, why: string): LedgerFileError {
  return new LedgerFileError(
    "NOT_A_LEDGER",
    `${path} is not a toolgate ledger: ${why}. It was not changed; use another file.`,
  );
}

function migrate(database: SqliteDatabase): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  const migrateNow = () => {
    // Again, now that nobody else can write: another process may have been first.
    for (const step of MIGRATIONS.slice(versionOf(database))) database.exec(step);
    database.exec(`pragma application_id = ${APPLICATION_ID}`);
    database.exec(`pragma user_version = ${MIGRATIONS.length}`);
  };
  database.transaction(migrateNow, { durable: true });
}

function versionOf(database: SqliteDatabase): number {
  const version = Number(database.pragma("user_version"));
  if (version <= MIGRATIONS.length) return version;
  throw new LedgerFileError(
    "LEDGER_TOO_NEW",
    `The ledger ${database.file} was written by a newer toolgate: its tables are version ${version}, and this toolgate knows them up to ${MIGRATIONS.length}. It was not changed; update toolgate, or use another file.`,
  );
}

/** The change needs the file alone for a moment. When several begin a ledger at once, SQLite does not always wait for that. */
async function useWriteAheadLog(database: SqliteDatabase): Promise<void> {
  for (const deadline = Date.now() + BUSY_MILLISECONDS; ;) {
    try {
      const mode = database.pragma("journal_mode = wal");
      if (mode === "wal") return;
      throw new LedgerFileError(
        "LEDGER_FAILED",
        `The ledger ${database.file} cannot have a write-ahead log where it is (SQLite says "${String(mode)}"). Nothing was written; put it on a local disk.`,
      );
    } catch (thrown) {
      const isBusy = thrown instanceof LedgerFileError && thrown.code === "LEDGER_BUSY";
      if (!isBusy || Date.now() > deadline) throw thrown;
      await setTimeout(5);
    }
  }
}
