/** Several instances on one server: who goes on with a session, and what a dead or paused one can still do. */
import { afterEach, expect, test } from "vitest";
import type { Ledger } from "../../call/index.js";
import {
  ask,
  claim,
  codeOf,
  DURABLE,
  QUESTION,
  said,
  SECOND,
  SESSION,
  YES,
} from "../contract/contract.samples.js";
import { startFollowing } from "../contract/following.samples.js";
import { openPostgresArchive } from "./archive/open-postgres-archive.js";
import { openPostgresLedger } from "./open-postgres-ledger.js";
import { emptyAddress } from "./store.samples.js";
import { postgresAddress } from "./postgres-address.js";
import { SqlConnections } from "./sql-connections.js";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

const open = async (address: string, place?: string): Promise<Ledger> => {
  const ledger = await openPostgresLedger(address, place === undefined ? {} : { place });
  opened.push(ledger);
  return ledger;
};
const connect = async (address: string): Promise<SqlConnections> => {
  const sql = await SqlConnections.open(postgresAddress(address));
  opened.push(sql);
  return sql;
};
const TURN = { type: "turn-started", turnId: "turn-1", at: 0 } as const;
const PARKED = { type: "turn-parked", turnId: "turn-1", at: 0 } as const;

async function firstWork(ledger: Ledger): Promise<string | undefined> {
  const controller = new AbortController();
  for await (const sessionId of ledger.work?.({ signal: controller.signal }) ?? []) return sessionId;
  return undefined;
}

test("offers an answered turn to another instance of its place, and not before the answer", async () => {
  const address = await emptyAddress();
  const [here, there] = [await open(address, "there"), await open(address, "there")];
  const lease = await ask(here, QUESTION, SECOND);
  await here.append(lease, [TURN, PARKED], DURABLE);
  await here.release(lease);
  const work = firstWork(there);
  let isThere = false;
  void work.then(() => (isThere = true));
  await here.answer("question-1", YES);
  const follower = startFollowing(there);
  await follower.hasSeq(9);
  expect(isThere).toBe(false);
  await here.answer("question-2", YES);
  expect(await work).toBe(SESSION);
  await follower.stop();
});

test("offers a turn whose lease ran out to its place only", async () => {
  const address = await emptyAddress();
  const [here, there, elsewhere] = [
    await open(address, "here"),
    await open(address, "here"),
    await open(address, "elsewhere"),
  ];
  const lease = await claim(here, { milliseconds: 200 });
  await here.append(lease, [TURN], DURABLE);
  const other = await claim(elsewhere, { sessionId: "session-2", milliseconds: 60_000 });
  await elsewhere.append(other, [TURN], DURABLE);
  const started = performance.now();
  expect(await firstWork(there)).toBe(SESSION);
  // The lease, a look each second, and ten times that for a busy machine.
  expect(performance.now() - started).toBeLessThan(12_000);
  const taken = await claim(there, { owner: "bob" });
  expect(await codeOf(here.append(lease, [said("too late")], DURABLE))).toBe("LEASE_LOST");
  await there.append(taken, [said("mine")], DURABLE);
});

/** More than one look has. */
const MANY = 600;

test.each(["under way", "that nobody takes"])(
  "finds a turn whose lease ran out behind many older ones %s",
  async (others) => {
    const address = await emptyAddress();
    const [here, there, sql] = [
      await open(address, "here"),
      await open(address, "here"),
      await connect(address),
    ];
    const { schema } = sql.address;
    const lease = others === "under way" ? "extract(epoch from clock_timestamp()) * 1000 + 600000" : "0";
    await sql.run({
      sql: `with s as (
          insert into ${schema}.sessions (session_id) select 'other ' || n from generate_series(1, ${MANY}) n returning number
        )
        insert into ${schema}.heads (session, last_seq, fence, owner, lease_until, lease_ms, work_since, place)
        select number, 1, nextval('${schema}.fences'), 'other', ${lease}, 600000, 1, 'here' from s`,
    });
    await here.append(await claim(here, { milliseconds: 200 }), [TURN], DURABLE);
    const over = new AbortController();
    for await (const sessionId of there.work?.({ signal: over.signal }) ?? [])
      if (sessionId === SESSION) over.abort();
    expect(over.signal.aborted).toBe(true);
  },
);

test("frees the lease of a dead process at once", async () => {
  const address = await emptyAddress();
  const [here, sql] = [await open(address), await connect(address)];
  await claim(here, { owner: "dead", milliseconds: 600_000 });
  expect(await codeOf(claim(here, { owner: "bob" }))).toBe("LEASE_HELD");
  // The highest pid of a system is taken last.
  await sql.run({
    sql: `update ${sql.address.schema}.heads set holder = regexp_replace(holder, '"pid":\\d+', '"pid":4194303')`,
  });
  expect((await claim(here, { owner: "bob" })).owner).toBe("bob");
});

test("verifies the bytes of the kept files, and says which event kept one that was changed", async () => {
  const address = await emptyAddress();
  const [ledger, sql] = [await open(address), await connect(address)];
  const archive = await openPostgresArchive(address, {});
  opened.push(archive);
  const lease = await claim(ledger);
  const blob = await ledger.putBlob(Buffer.from("as it was"));
  const before = { type: "file", blob, mode: 0o644 } as const;
  const change = { type: "written", path: "/a", before, after: blob } as const;
  await ledger.append(lease, [said("one"), { type: "file-kept", toolCallId: "c1", at: 0, change }], DURABLE);
  expect(await archive.verify()).toMatchObject({ events: 2, brokenCount: 0 });
  await sql.run({ sql: `update ${sql.address.schema}.blobs set bytes = '\\x00'` });
  expect(await archive.verify()).toMatchObject({
    brokenCount: 1,
    broken: [{ sessionId: SESSION, seq: 2, problem: "changed" }],
  });
});

test("refuses to go on when the server has lost what it had acknowledged", async () => {
  const address = await emptyAddress();
  const [ledger, sql] = [await open(address), await connect(address)];
  const { schema } = sql.address;
  const lease = await claim(ledger);
  await ledger.append(lease, [said("one")], DURABLE);
  const [before] = await sql.run<[], { chain: Buffer }>({ sql: `select chain from ${schema}.heads` });
  await ledger.append(lease, [said("two")], DURABLE);
  // As a standby that had not got the last commit.
  await sql.run({ sql: `delete from ${schema}.events where seq = 2` });
  await sql.run<[Buffer], never>(
    { sql: `update ${schema}.heads set last_seq = 1, chain = $1` },
    before?.chain ?? Buffer.alloc(0),
  );
  await expect(ledger.append(lease, [said("three")], DURABLE)).rejects.toMatchObject({
    code: "LOG_BEHIND",
    message: expect.stringContaining("lost events of session session-1 that it had acknowledged"),
  });
});

test("stores an append once when the connection is cut during it", async () => {
  const address = await emptyAddress();
  const [ledger, sql] = [await open(address), await connect(address)];
  const lease = await claim(ledger);
  const name = `cut ${process.pid} ${Math.random()}`;
  const over = new AbortController();
  const cut = async () => {
    for (let cuts = 0; cuts < 4 && !over.signal.aborted;) {
      const rows = await sql
        .run<[], object>({
          sql: `select pg_terminate_backend(pid) from pg_stat_activity
            where pid <> pg_backend_pid() and query like '%insert into ${sql.address.schema}.events%'`,
        })
        .catch(() => []);
      cuts += rows.length;
    }
  };
  const cutting = cut();
  const seqs: number[] = [];
  for (let index = 0; index < 20; index++)
    seqs.push(await ledger.append(lease, [said(`${name} ${index}`)], DURABLE));
  over.abort();
  await cutting;
  expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  const log = await ledger.read(SESSION);
  expect(log.map(({ event }) => event)).toEqual(seqs.map((seq) => said(`${name} ${seq - 1}`)));
});

test("finds a change whose notification was lost", async () => {
  const address = await emptyAddress();
  const [here, there, sql] = [await open(address), await open(address), await connect(address)];
  const lease = await claim(here);
  await here.append(lease, [said("one")], DURABLE);
  const follower = startFollowing(there);
  await follower.has(1);
  // The connection that listens ends.
  await sql.run({
    sql: `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen toolgate_${sql.address.schema}'`,
  });
  await here.append(lease, [said("two")], DURABLE);
  await follower.has(2);
  await follower.stop();
  expect(follower.seen.map(({ seq }) => seq)).toEqual([1, 2]);
});

test("batches of two instances on the same sessions never wait for each other in a circle", async () => {
  const address = await emptyAddress();
  const [stale, newest] = [await open(address), await open(address)];
  const names = Array.from({ length: 20 }, (_, number) => `s${number}`);
  const lost = await Promise.all(
    names.map((name) => stale.claim(name, "same owner", { milliseconds: 60_000 })),
  );
  await Promise.all(lost.map((lease) => stale.append(lease, [said("first")], DURABLE)));
  // In the other order, and with renewals of the same sessions at the same time.
  const leases = await Promise.all(
    names.toReversed().map((name) => newest.claim(name, "same owner", { milliseconds: 60_000 })),
  );
  for (let round = 0; round < 10; round++) {
    const refused = lost.map((lease) => codeOf(stale.append(lease, [said("late")], DURABLE)));
    const stored = leases.map((lease) => newest.append(lease, [said(`${round}`)], DURABLE));
    const renewed = leases.map((lease) => newest.renew(lease, { milliseconds: 60_000 }));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(["LEASE_LOST"]));
    expect(new Set(await Promise.all(stored))).toEqual(new Set([round + 2]));
    await Promise.all(renewed);
  }
});

test("offers a turn when the server's clock was set back during its lease", async () => {
  const address = await emptyAddress();
  const at = (time: number) => openPostgresLedger(address, { place: "here", now: () => time });
  const [before, after] = [await at(10_000_000), await at(1_000_000)];
  opened.push(before, after);
  const lease = await before.claim(SESSION, "paused", { milliseconds: 5_000 });
  await before.append(lease, [TURN], DURABLE);
  expect(await after.holder?.(SESSION)).toBeUndefined();
  expect(await firstWork(after)).toBe(SESSION);
});

test("ends an unrenewed lease after its length when the server's clock was set back a little", async () => {
  const address = await emptyAddress();
  const at = (time: number) => openPostgresLedger(address, { place: "here", now: () => time });
  // By the server's clock, which stands still here, the lease never ends.
  const [before, after] = [await at(1_000_250), await at(1_000_000)];
  opened.push(before, after);
  const lease = await before.claim(SESSION, "paused", { milliseconds: 300 });
  await before.append(lease, [TURN], DURABLE);
  expect(await codeOf(claim(after, { owner: "bob" }))).toBe("LEASE_HELD");
  expect(await firstWork(after)).toBe(SESSION);
  expect((await claim(after, { owner: "bob" })).owner).toBe("bob");
  expect(await codeOf(before.append(lease, [said("too late")], DURABLE))).toBe("LEASE_LOST");
});
