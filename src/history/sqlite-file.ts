/**
 * Opens the file of a ledger, makes it when there is none, and brings it up to date.
 *
 * What must stay true: only its owner can read it; a file that is not ours, or is newer than we are, is
 * left as it was. It is ours when its header says so, and the header says so from the first transaction
 * on, because that one is made before there is a write-ahead log beside the file.
 */
import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { LedgerFileError } from "./ledger-file-error.js";
import { BUSY_MILLISECONDS, fileError, SqliteDatabase } from "./sqlite-database.js";
import { MIGRATIONS } from "./sqlite-tables.js";

/** "Tgat", at the place where SQLite keeps whose file it is. */
const APPLICATION_ID = 0x54676174;
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;

export async function openLedgerFile(file: string): Promise<SqliteDatabase> {
  // Absolute, so that a name like ":memory:" is a file's name.
  const path = resolve(file);
  const openDriver = await loadDriver();
  createIfMissing(path);
  checkIsOurs(path);
  const database = new SqliteDatabase(path, openDriver(path));
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

type Driver = { readonly DatabaseSync: new (path: string) => DatabaseSyncInstance };

/** Node's own SQLite where there is one; the package has the same interface, and is loaded only where it is needed. */
async function loadDriver(): Promise<(path: string) => DatabaseSyncInstance> {
  // The types of Node 20 do not know node:sqlite.
  const builtin = process.getBuiltinModule("node:sqlite") as Driver | undefined;
  const { DatabaseSync } = builtin ?? (await import("@photostructure/sqlite"));
  return (path) => {
    try {
      return new DatabaseSync(path);
    } catch (thrown) {
      throw fileError(path, thrown);
    }
  };
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

function checkIsOurs(path: string): void {
  const header = readHeader(path);
  // Just made, by us or by another process that is still at it.
  if (header.length === 0) return;
  if (header.length < HEADER_BYTES || !header.toString("latin1").startsWith("SQLite format 3\0"))
    throw notOurs(path, "it is no SQLite file");
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID)
    throw notOurs(path, "it is an SQLite file of another program");
}

function readHeader(path: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
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

/** The change needs the file alone for a moment, and SQLite does not wait for that by itself. */
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
