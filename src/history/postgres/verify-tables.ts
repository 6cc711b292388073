/**
 * Checks that nobody altered the stored events: computes the chain of every session again and compares it, and the
 * snapshot of every session that has one, and the bytes of the kept files. Reads in pages, never in one transaction, which would hold back vacuum.
 *
 * Tables that were rewritten as a whole with a new chain look right. To find these, keep `heads` elsewhere and pass them
 * in.
 */
import type { BrokenLink, ChainHead, Verified, VerifyOptions } from "../../call/index.js";
import { ChainCheck } from "../chain/chain-check.js";
import { KeptFilesCheck } from "../chain/kept-files-check.js";
import { SnapshotCheck } from "../chain/snapshot-check.js";
import { nameFromStored } from "../stored-json.js";
import { ledgerStatements } from "./ledger-statements.js";
import { storedBytes } from "./stored-blobs.js";
import type { SqlConnections } from "./sql-connections.js";

const EVENTS_PER_READ = 1_000;
const SESSIONS_PER_READ = 1_000;

type Row = { readonly seq: number; readonly event: string; readonly chain: string | null };

type Head = {
  readonly session: number;
  readonly session_id: string;
  readonly last_seq: number;
  readonly chain: string | null;
};

export async function verifyTables(
  sql: SqlConnections,
  { onProgress, heads: kept = [], maxBroken = 1_000 }: VerifyOptions = {},
): Promise<Verified> {
  const { schema } = sql.address;
  const statements = ledgerStatements(schema);
  const [all] = await sql.retried<[], { sessions: number; events: number }>({
    sql: `select count(*) as sessions, coalesce(sum(last_seq), 0)::float8 as events from ${schema}.heads where last_seq > 0`,
  });
  const total = { ofSessions: all?.sessions ?? 0, ofEvents: all?.events ?? 0 };
  const broken: BrokenLink[] = [];
  const heads: ChainHead[] = [];
  const done = { sessions: 0, events: 0 };
  const gone = new Map(kept.map((head) => [head.sessionId, head]));
  let [brokenCount, notCovered] = [0, 0];
  const report = (link: BrokenLink) => {
    brokenCount += 1;
    if (broken.length < maxBroken) broken.push(link);
  };
  const keptFiles = new KeptFilesCheck((hash) => storedBytes({ sql, statements }, hash));
  const showProgress = () => onProgress?.({ ...done, ...total, keptFiles: keptFiles.keptFiles });
  for await (const head of allHeads(sql)) {
    const sessionId = nameFromStored(head.session_id);
    gone.delete(sessionId);
    const found: BrokenLink[] = [];
    const check = new ChainCheck(
      sessionId,
      kept.filter((one) => one.sessionId === sessionId),
      (link) => found.push(link),
    );
    const snapshot = await snapshotCheck(sql, head, sessionId);
    for await (const rows of eventBatches(sql, head)) {
      for (const row of rows) {
        check.add(row);
        snapshot?.add(row);
        keptFiles.add(row);
      }
      done.events += rows.length;
      showProgress();
    }
    const last = check.end(head.last_seq, head.chain);
    const wrong = found.length === 0 ? snapshot?.wrong() : undefined;
    if (wrong) found.push(wrong);
    await keptFiles.end(sessionId, (link) => found.push(link), showProgress);
    // A session that was removed meanwhile is not broken.
    if (found.length > 0 && !(await isThere(sql, head.session))) continue;
    found.forEach(report);
    if (last) heads.push(last);
    notCovered += check.notCovered;
    done.sessions += 1;
  }
  for (const { sessionId, seq } of gone.values())
    report({ sessionId, seq, problem: "missing", detail: "its whole session is gone" });
  onProgress?.({ ...done, ...total });
  return { ...done, notCovered, brokenCount, broken, heads };
}

async function* allHeads(sql: SqlConnections): AsyncGenerator<Head> {
  const { schema } = sql.address;
  for (let after = 0; ;) {
    const rows = await sql.retried<[number, number], Head>(
      {
        sql: `select h.session, s.session_id, h.last_seq, encode(h.chain, 'hex') as chain
          from ${schema}.heads h join ${schema}.sessions s on s.number = h.session
          where h.session > $1 and h.last_seq > 0 order by h.session limit $2`,
      },
      after,
      SESSIONS_PER_READ,
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < SESSIONS_PER_READ) return;
    after = last.session;
  }
}

/** The events up to the head that was read, and those that no head covers. */
async function* eventBatches(sql: SqlConnections, head: Head): AsyncGenerator<readonly Row[]> {
  const { schema } = sql.address;
  for (let after = 0; ;) {
    const rows = await sql.retried<[number, number, number, number], Row>(
      {
        sql: `select e.seq, e.event, encode(e.chain, 'hex') as chain
          from ${schema}.events e join ${schema}.heads h on h.session = e.session
          where e.session = $1 and e.seq > $2 and (e.seq <= $3 or e.seq > h.last_seq) order by e.seq limit $4`,
      },
      head.session,
      after,
      head.last_seq,
      EVENTS_PER_READ,
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.seq;
  }
}

async function snapshotCheck(
  sql: SqlConnections,
  { session, last_seq }: Head,
  sessionId: string,
): Promise<SnapshotCheck | undefined> {
  const [row] = await sql.retried<[number], { seq: number; saved: string; seal: string }>(
    { sql: `select seq, saved, seal from ${sql.address.schema}.snapshots where session = $1` },
    session,
  );
  // A snapshot that was saved after the head was read is checked the next time.
  return row && row.seq <= last_seq ? new SnapshotCheck(sessionId, row) : undefined;
}

async function isThere(sql: SqlConnections, session: number): Promise<boolean> {
  const rows = await sql.retried<[number], { number: number }>(
    { sql: `select number from ${sql.address.schema}.sessions where number = $1` },
    session,
  );
  return rows.length > 0;
}
