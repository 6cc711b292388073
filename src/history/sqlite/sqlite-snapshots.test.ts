/** A snapshot is kept with its session, and believed only while it belongs to the log. */
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { savedSession, SessionBook } from "../../call/index.js";
import type { Ledger, SessionEvent, SessionSnapshot } from "../../call/index.js";
import { codeOf } from "../contract/contract.samples.js";
import { aRun, aStore, record, said } from "../history.samples.js";
import { MemoryLedger } from "../memory/memory-ledger.js";
import { redactingLedger } from "../redaction/redacting-ledger.js";
import { removeSession, retainSessions } from "../forget-sessions.js";
import { snapshotSeal } from "../chain/hash-chain.js";
import { verifyLedger } from "./verify-ledger.js";

const store = aStore();
const events: readonly SessionEvent[] = [...aRun("c1"), said("hello"), ...aRun("c2")];
const snapshotAfter = (seq: number, sessionId = "s1"): SessionSnapshot => ({
  seq,
  saved: savedSession(new SessionBook(sessionId, events.slice(0, seq)).snapshot()),
});

let file: string;
let ledger: Ledger;
beforeEach(async () => {
  file = store.newFile();
  ledger = await store.ledger(file);
  await record(ledger, "s1", events);
  await record(ledger, "s2", events);
});

async function keep(snapshot: SessionSnapshot, sessionId = "s1"): Promise<void> {
  const lease = await ledger.claim(sessionId, "ann", { milliseconds: 1000 });
  await ledger.keepSnapshot?.(lease, snapshot);
  await ledger.release(lease);
}

/** As someone would who has the file and SQLite. */
function byHand<Row>(sql: string): Row[] {
  const database = new DatabaseSync(file);
  database.exec("pragma foreign_keys = on");
  // The caller knows what it asks for.
  const rows = database.prepare(sql).all() as Row[];
  database.close();
  return rows;
}

const broken = async () =>
  (await verifyLedger(file)).broken.map(({ sessionId, seq, detail }) => `${sessionId} ${seq} ${detail}`);

test("reads a snapshot as it was saved, by another handle too, and replaces it by a newer one", async () => {
  expect(await ledger.snapshot?.("s1")).toBeUndefined();
  await keep(snapshotAfter(8));
  await keep(snapshotAfter(15));
  expect(await ledger.snapshot?.("s1")).toEqual(snapshotAfter(15));
  expect(await (await store.ledger(file)).snapshot?.("s1")).toEqual(snapshotAfter(15));
  expect(await ledger.snapshot?.("s2")).toBeUndefined();
  expect(await ledger.snapshot?.("unknown")).toBeUndefined();
  await record(ledger, "s1", [said("more")]);
  expect(await ledger.snapshot?.("s1")).toEqual(snapshotAfter(15));
  expect(byHand("select count(*) as count from snapshots")).toEqual([{ count: 1 }]);
  expect(await broken()).toEqual([]);
});

test("saves a snapshot only for the session's holder, and only of recorded events", async () => {
  const lease = await ledger.claim("s1", "ann", { milliseconds: 1000 });
  await ledger.claim("s1", "ann", { milliseconds: 1000 });
  expect(await codeOf(ledger.keepSnapshot?.(lease, snapshotAfter(8)) ?? Promise.resolve())).toBe(
    "LEASE_LOST",
  );
  await keep({ ...snapshotAfter(15), seq: 16 });
  expect(await ledger.snapshot?.("s1")).toBeUndefined();
});

describe("snapshots that were changed by hand", () => {
  test.each([
    ["its text was changed", `update snapshots set saved = replace(saved, 'hello', 'hullo')`],
    ["its place was changed", `update snapshots set seq = 9`],
    ["its seal was changed", `update snapshots set seal = 'x'`],
    [
      "it was given to another session",
      `update snapshots set session = (select number from sessions where session_id = 's2')`,
    ],
  ])("ignores a snapshot, and reports it in verify, when by hand %s", async (_, sql) => {
    await keep(snapshotAfter(8));
    byHand(sql);
    expect([await ledger.snapshot?.("s1"), await ledger.snapshot?.("s2")]).toEqual([undefined, undefined]);
    const session = sql.includes("'s2'") ? "s2" : "s1";
    expect(await broken()).toEqual([
      `${session} ${sql.includes("seq = 9") ? 9 : 8} the snapshot kept after it is not what was recorded: its seal is broken`,
    ]);
  });

  test.each([
    ["its event was removed", `delete from events where session = 1 and seq >= 8`],
    ["the link of its event was changed", `update events set chain = 'x' where session = 1 and seq = 8`],
    ["its event lost its link", `update events set chain = null where session = 1 and seq = 8`],
  ])("ignores a snapshot, and reports its event in verify, when by hand %s", async (_, sql) => {
    await keep(snapshotAfter(8));
    byHand(sql);
    expect(await ledger.snapshot?.("s1")).toBeUndefined();
    expect((await broken())[0]).toMatch(/^s1 8 /);
  });

  test("reports in verify a snapshot that was sealed again with another text", async () => {
    await keep(snapshotAfter(8));
    const saved = snapshotAfter(8).saved.replace("hello", "hullo");
    const [row] = byHand<{ chain: string }>("select chain from events where session = 1 and seq = 8");
    byHand(
      `update snapshots set saved = '${saved}', seal = '${snapshotSeal(row?.chain ?? "", { seq: 8, saved })}'`,
    );
    expect(await broken()).toEqual([
      "s1 8 the snapshot kept after it is not what was recorded: the log makes something else",
    ]);
  });
});

test("does not report a snapshot of another fold version in verify", async () => {
  await keep({ seq: 8, saved: snapshotAfter(8).saved.replace(/"version":\d+/, '"version":0') });
  expect(await broken()).toEqual([]);
});

test("removes a snapshot with its session, and leaves none of its bytes in the file", async () => {
  await keep(snapshotAfter(8));
  await keep(snapshotAfter(8, "s2"), "s2");
  await removeSession(ledger, "s1");
  expect(byHand("select count(*) as count from snapshots")).toEqual([{ count: 1 }]);
  await retainSessions(ledger, { olderThanMs: 0, now: () => Number.MAX_SAFE_INTEGER });
  expect(byHand("select count(*) as count from snapshots")).toEqual([{ count: 0 }]);
  await record(ledger, "s1", events);
  expect(await ledger.snapshot?.("s1")).toBeUndefined();
});

test("saves no snapshot in a redacting ledger, since the writer's book has the secrets", () => {
  for (const inner of [ledger, new MemoryLedger()]) {
    const redacting = redactingLedger(inner);
    expect("keepSnapshot" in redacting || "snapshot" in redacting).toBe(false);
  }
});

test("saves no snapshot of a session from before the chain, which goes on without one", async () => {
  byHand("update events set chain = null where session = 1");
  byHand("update sessions set chain = null where number = 1");
  await keep(snapshotAfter(15));
  expect(await ledger.snapshot?.("s1")).toBeUndefined();
});
