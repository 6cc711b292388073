import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { SqliteDatabase } from "./sqlite-database.js";
import { fileError } from "./sqlite-database.js";
import { openLedgerFile } from "./sqlite-file.js";

const folder = mkdtempSync(join(tmpdir(), "toolgate-database-"));
afterAll(() => rmSync(folder, { recursive: true }));
let database: SqliteDatabase;
beforeEach(async () => {
  database = await openLedgerFile(join(folder, "ledger.db"));
});
afterEach(() => database.close());

const hashes = () => database.select<{ hash: string }>("select hash from blobs").map(({ hash }) => hash);
const insert = (hash: string) =>
  database.change("insert into blobs (hash, bytes) values (?, ?)", [hash, new Uint8Array()]);

test("syncs a durable transaction to the disk, and no other", () => {
  const synced = () => database.transaction(() => database.pragma("synchronous"), { durable: true });
  const quick = () => database.transaction(() => database.pragma("synchronous"), { durable: false });
  // 2 is FULL: each commit is synced. 1 is NORMAL: only what a checkpoint needs is.
  expect([synced(), quick(), quick(), synced()]).toEqual([2, 1, 1, 2]);
  expect(database.pragma("journal_mode")).toBe("wal");
});

const fail = () => {
  insert("one");
  throw new Error("no");
};

test("work that throws leaves nothing behind, and the next transaction can begin", () => {
  expect(() => database.transaction(fail, { durable: false })).toThrow("no");
  expect(hashes()).toEqual([]);
  database.transaction(() => insert("two"), { durable: false });
  expect(hashes()).toEqual(["two"]);
  expect(() => database.transaction(() => insert("two"), { durable: false })).toThrow(
    /^The ledger .*ledger\.db failed: UNIQUE constraint failed: blobs\.hash \(SQLite \d+\)\. Nothing was written\.$/,
  );
});

test("compiles a statement once per connection, at its first run", () => {
  const none = { sql: "select hash from nothing_of_this_name" };
  const statement = database.prepare(none);
  expect(() => statement.rows()).toThrow(/no such table/);
  database.exec("create table nothing_of_this_name (hash text)");
  expect(statement.rows()).toEqual([]);
  expect(database.prepare({ ...none })).toBe(statement);
});

test.each([
  [5, "LEDGER_BUSY"],
  [5 | (2 << 8), "LEDGER_BUSY"],
  [11, "LEDGER_DAMAGED"],
  [26, "LEDGER_DAMAGED"],
  [8, "LEDGER_READ_ONLY"],
  [13, "LEDGER_FULL"],
  [1, "LEDGER_FAILED"],
])("maps the driver's error %i to %s, with the file and the cause", (errcode, code) => {
  const cause = Object.assign(new Error("as SQLite says it"), { errcode });
  expect(fileError("/home/ann/ledger.db", cause)).toMatchObject({
    code,
    cause,
    message: expect.stringMatching(/^The ledger \/home\/ann\/ledger\.db .*Nothing was/),
  });
});

test("passes on an error that is not the driver's", () => {
  const thrown = new Error("no");
  expect(fileError("/home/ann/ledger.db", thrown)).toBe(thrown);
});
