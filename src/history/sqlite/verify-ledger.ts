/**
 * Checks that nobody altered the stored events: computes the chain of every session again and compares it, and the
 * snapshot of every session that has one, and the bytes of the kept files. Only reads, a batch at a time from one consistent state, and blocks no writer.
 *
 * A file that was rewritten as a whole with a new chain looks right, and so does one whose end was cut off together with its
 * part of the chain. To find these, keep `heads` elsewhere and pass them in.
 */
import { setImmediate } from "node:timers/promises";
import type { BrokenLink, ChainHead, Verified, VerifyOptions } from "../../call/index.js";
import { ChainCheck } from "../chain/chain-check.js";
import { KeptFilesCheck } from "../chain/kept-files-check.js";
import { LEDGER_SQL, VERIFY_SQL } from "./ledger-sql.js";
import { SnapshotCheck } from "../chain/snapshot-check.js";
import { damagedFile } from "./sqlite-database.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { nameFromStored } from "../stored-json.js";

const EVENTS_PER_READ = 1_000;

export async function verifyLedger(file: string, options: VerifyOptions = {}): Promise<Verified> {
  const { openLedgerToRead } = await import("./sqlite-file.js");
  const database = await openLedgerToRead(file);
  try {
    database.exec("begin");
    try {
      checkPages(database);
      return await verify(database, options);
    } finally {
      // A closed connection and its read transaction live until its statements are garbage-collected.
      database.exec("rollback");
    }
  } finally {
    database.close();
  }
}

/** Throws `LEDGER_DAMAGED` for a page that cannot be read, also of a table that no event is in. */
function checkPages(database: SqliteDatabase): void {
  const found = database.pragma("quick_check(1)");
  if (found !== "ok") throw damagedFile(database.file, String(found));
}

async function verify(
  database: SqliteDatabase,
  { onProgress, heads: kept = [], maxBroken = 1_000 }: VerifyOptions,
): Promise<Verified> {
  const broken: BrokenLink[] = [];
  let brokenCount = 0;
  const report = (link: BrokenLink): void => {
    brokenCount += 1;
    if (broken.length < maxBroken) broken.push(link);
  };
  const heads: ChainHead[] = [];
  const sessions = storedSessions(database);
  const ofEvents = sessions.reduce((sum, { last_seq }) => sum + last_seq, 0);
  const done = { sessions: 0, events: 0 };
  let notCovered = 0;
  const keptFiles = new KeptFilesCheck((hash) => database.prepare(LEDGER_SQL.blob).row(hash)?.bytes);
  const showProgress = async (): Promise<void> => {
    onProgress?.({ ...done, ofSessions: sessions.length, ofEvents, keptFiles: keptFiles.keptFiles });
    await setImmediate();
  };
  const gone = new Map(kept.map((head) => [head.sessionId, head]));
  for (const session of sessions) {
    const sessionId = nameFromStored(session.session_id);
    gone.delete(sessionId);
    const check = new ChainCheck(
      sessionId,
      kept.filter((head) => head.sessionId === sessionId),
      report,
    );
    const stored = keptSnapshot(database, session.number);
    const snapshot = stored && new SnapshotCheck(sessionId, stored);
    const brokenBefore = brokenCount;
    for (const rows of batches(database, session.number)) {
      for (const row of rows) {
        check.add(row);
        snapshot?.add(row);
        keptFiles.add(row);
      }
      done.events += rows.length;
      await showProgress();
    }
    const head = check.end(session.last_seq, session.chain);
    if (head) heads.push(head);
    // When the log itself was changed, the snapshot cannot match it.
    const wrong = brokenCount === brokenBefore ? snapshot?.wrong() : undefined;
    if (wrong) report(wrong);
    await keptFiles.end(sessionId, report, showProgress);
    notCovered += check.notCovered;
    done.sessions += 1;
  }
  for (const { sessionId, seq } of gone.values()) {
    report({ sessionId, seq, problem: "missing", detail: "its whole session is gone" });
  }
  return { ...done, notCovered, brokenCount, broken, heads };
}

/** A read-only file is not migrated, and may have no tables. */
function storedSessions(database: SqliteDatabase) {
  const version = versionOf(database);
  if (version === 0) return [];
  const statement = version < WITH_CHAIN ? VERIFY_SQL.sessionsWithoutChain : VERIFY_SQL.sessions;
  return database.prepare(statement).rows();
}

function keptSnapshot(database: SqliteDatabase, session: number) {
  if (versionOf(database) < WITH_SNAPSHOTS) return undefined;
  return database.prepare(VERIFY_SQL.snapshot).row(session);
}

function* batches(database: SqliteDatabase, session: number) {
  const hasChain = versionOf(database) >= WITH_CHAIN;
  const events = database.prepare(hasChain ? VERIFY_SQL.events : VERIFY_SQL.eventsWithoutChain);
  for (let after = -Infinity; ;) {
    const rows = events.rows(session, after, EVENTS_PER_READ);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.seq;
  }
}

/** The table versions that introduced the chain and the snapshots. */
const WITH_CHAIN = 2;
const WITH_SNAPSHOTS = 3;

function versionOf(database: SqliteDatabase): number {
  return Number(database.pragma("user_version"));
}
