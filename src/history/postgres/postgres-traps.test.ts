/** Traps of PostgreSQL that cost other programs events or time, each on the run's server. */
import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, expect, test, vi } from "vitest";
import type { Ledger } from "../../call/index.js";
import { eventPages } from "../../call/index.js";
import { claim, codeOf, DURABLE, said, SESSION } from "../contract/contract.samples.js";
import { startFollowing } from "../contract/following.samples.js";
import { openPostgresArchive } from "./archive/open-postgres-archive.js";
import { openPostgresLedger } from "./open-postgres-ledger.js";
import { postgresAddress } from "./postgres-address.js";
import { SqlConnections } from "./sql-connections.js";
import { emptyAddress } from "./store.samples.js";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

const open = async (address: string): Promise<Ledger> => {
  const ledger = await openPostgresLedger(address, { place: "here" });
  opened.push(ledger);
  return ledger;
};

const LIMIT = { timeout: 60_000 };

/** A connection of the test's own, which may stay in a transaction. */
async function connect(address: string): Promise<{ client: Client; heads: string }> {
  const { connectionString, schema } = postgresAddress(address);
  const client = new Client({ connectionString });
  await client.connect();
  opened.push({ close: () => client.end() });
  return { client, heads: `${schema}.heads` };
}

const named = (address: string, name: string): string => {
  const url = new URL(address);
  url.searchParams.set("application_name", name);
  return url.href;
};

test("counts a lease from the end of the wait when its claim waited for the row", async () => {
  const address = await emptyAddress();
  const [here, { client, heads }] = [await open(named(address, "claims late")), await connect(address)];
  // A transaction sees the same activity until it ends.
  const watcher = (await connect(address)).client;
  await here.append(await claim(here), [said("one")], DURABLE);
  await client.query(`begin; update ${heads} set place = place`);
  const claimed = claim(here, { milliseconds: 60_000 });
  await vi.waitFor(async () => {
    const waiting = "application_name = 'claims late' and wait_event_type = 'Lock'";
    const { rowCount } = await watcher.query(`select from pg_stat_activity where ${waiting}`);
    expect(rowCount).toBe(1);
  }, LIMIT);
  const clock = "select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now";
  const { rows } = await watcher.query<{ now: number }>(clock);
  await client.query("commit");
  expect((await claimed).expiresAt).toBeGreaterThanOrEqual((rows[0]?.now ?? Infinity) + 60_000);
});

test("names work whose row another instance only looks at", async () => {
  const address = await emptyAddress();
  const [here, { client, heads }] = [await open(address), await connect(address)];
  const lease = await claim(here);
  await here.append(lease, [{ type: "turn-started", turnId: "turn-1", at: 0 }], DURABLE);
  await here.release(lease);
  await client.query(`begin; select from ${heads} for update`);
  const over = new AbortController();
  for await (const sessionId of here.work?.({ signal: over.signal }) ?? []) {
    expect(sessionId).toBe(SESSION);
    over.abort();
  }
  await client.query("rollback");
});

test("is in no transaction while it listens, follows and reads in pages, so that vacuum is not held back", async () => {
  const address = named(await emptyAddress(), "reads long");
  const [here, { client }] = [await open(address), await connect(address)];
  const lease = await claim(here);
  await here.append(lease, [said("one"), said("two"), said("three")], DURABLE);
  const follower = startFollowing(here);
  await follower.has(3);
  const looks: unknown[] = [];
  for await (const page of eventPages(here, SESSION, { limit: 1 })) {
    const { rows } = await client.query(
      `select state from pg_stat_activity
       where application_name = 'reads long'
         and state like 'idle in transaction%'`,
    );
    looks.push([page.length, rows]);
  }
  expect(looks).toEqual(Array.from({ length: 3 }, () => [1, []]));
  await follower.stop();
});

test("lets the server end a transaction whose process is silent, and leaves no setting on the connection", async () => {
  const sql = await SqlConnections.open(postgresAddress(await emptyAddress()));
  opened.push(sql);
  const show = "show idle_in_transaction_session_timeout";
  const inside = await sql.transaction(async (client) => (await client.query<object>(show)).rows);
  expect(inside).toEqual([{ idle_in_transaction_session_timeout: "1min" }]);
  expect(await sql.run({ sql: show })).toEqual([{ idle_in_transaction_session_timeout: "0" }]);
});

test("appends and renews while searches of the same process wait for the server", async () => {
  const address = await emptyAddress();
  const [here, { client, heads }] = [await open(address), await connect(address)];
  const archive = await openPostgresArchive(address, {});
  opened.push(archive);
  const lease = await claim(here, { milliseconds: 60_000 });
  await here.append(lease, [said("needle ")], DURABLE);
  await archive.refresh();
  const items = heads.replace("heads", "archive_items");
  await client.query(`begin; lock table ${items} in access exclusive mode`);
  // More than there are connections.
  const searches = Array.from({ length: 8 }, () => archive.search({ text: "needle" }));
  const watcher = (await connect(address)).client;
  await vi.waitFor(async () => {
    const waiting = `relation = '${items}'::regclass and not granted`;
    const { rowCount } = await watcher.query(`select from pg_locks where ${waiting}`);
    expect(rowCount).toBeGreaterThan(0);
  }, LIMIT);
  // By then no append keeps its connection any more: searches that could would have it.
  await setTimeout(1_200);
  expect(await here.append(lease, [said("two")], DURABLE)).toBe(2);
  await here.renew(lease, { milliseconds: 60_000 });
  expect(await here.read(SESSION)).toHaveLength(2);
  await client.query("rollback");
  for (const found of await Promise.all(searches)) expect(found.items).toHaveLength(1);
});

test("indexes, exports and verifies in pages, in no transaction that lasts", async () => {
  const address = named(await emptyAddress(), "reads all");
  const [here, { client }] = [await open(address), await connect(address)];
  await here.append(await claim(here), [said("one")], DURABLE);
  const archive = await openPostgresArchive(address, {});
  opened.push(archive);
  const looks: unknown[] = [];
  const look = async () => {
    const lasting = "application_name = 'reads all' and state <> 'active' and xact_start is not null";
    looks.push((await client.query(`select query from pg_stat_activity where ${lasting}`)).rows);
  };
  await archive.refresh();
  await look();
  for await (const _text of archive.export(SESSION, "ndjson")) await look();
  await archive.verify();
  await look();
  expect(looks.length).toBeGreaterThan(2);
  expect(looks.flat()).toEqual([]);
});

test("goes on when a prepared statement is gone, or its name is taken, as behind a pooler", async () => {
  for (const statement of ["deallocate all", "prepare"] as const) {
    const sql = await SqlConnections.open(postgresAddress(named(await emptyAddress(), statement)));
    opened.push(sql);
    const one = { sql: "select $1::int + 1 as next" };
    const next = () => sql.run<[number], { next: number }>(one, 1);
    if (statement === "deallocate all") await next();
    const name = `tg_${hash("sha256", one.sql).slice(0, 24)}`;
    await sql.run({ sql: statement === "prepare" ? `prepare ${name} as select 7` : statement });
    expect(await next()).toEqual([{ next: 2 }]);
  }
});

test("keeps its leases when all of its connections are lost", async () => {
  const address = await emptyAddress();
  const [here, there] = [await open(named(address, "holds leases")), await open(address)];
  const { client } = await connect(address);
  const lease = await claim(here, { milliseconds: 60_000 });
  await here.append(lease, [said("one")], DURABLE);
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holds leases'",
  );
  expect(await codeOf(claim(there, { owner: "bob" }))).toBe("LEASE_HELD");
  expect(await here.append(lease, [said("two")], DURABLE)).toBe(2);
  expect((await here.renew(lease, { milliseconds: 60_000 })).fence).toBe(lease.fence);
});

test("indexes and follows a session whose append began before others and was committed after them", async () => {
  const address = await emptyAddress();
  const [here, there] = [await open(named(address, "appends late")), await open(address)];
  const [{ client, heads }, watcher] = [await connect(address), (await connect(address)).client];
  const archive = await openPostgresArchive(address, {});
  opened.push(archive);
  const lease = await claim(here, { milliseconds: 60_000 });
  await here.append(lease, [said("one ")], DURABLE);
  const follower = startFollowing(there);
  await follower.has(1);
  await client.query(`begin; select from ${heads} for update`);
  const late = here.append(lease, [said("two")], DURABLE);
  await vi.waitFor(async () => {
    const waiting = "application_name = 'appends late' and wait_event_type = 'Lock'";
    expect((await watcher.query(`select from pg_stat_activity where ${waiting}`)).rowCount).toBe(1);
  }, LIMIT);
  const other = await claim(there, { sessionId: "session-2" });
  await there.append(other, [said("other")], DURABLE);
  await archive.refresh();
  await client.query("commit");
  await late;
  await follower.has(2);
  await follower.stop();
  const { items } = await archive.search({ text: "two" });
  expect(items.map(({ sessionId }) => sessionId)).toEqual([SESSION]);
});

test("gives up a silent connection after its time, an archive's later, and waits for long work", async () => {
  const address = postgresAddress(await emptyAddress());
  const [ledger, archive] = [
    await SqlConnections.open(address),
    await SqlConnections.open(address, { isForArchive: true }),
  ];
  opened.push(ledger, archive);
  const slow = { sql: "select pg_sleep(0.3)" };
  const tryFor = async (sql: SqlConnections, statement: typeof slow, ms: number) => {
    // A connection first: the driver has timers of its own for it.
    await sql.run({ sql: "select 1" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const result = sql.run(statement).then(
        () => "done",
        (error: Error) => error.message,
      );
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(ms);
      return await result;
    } finally {
      vi.useRealTimers();
    }
  };
  expect(await tryFor(ledger, slow, 29_000)).toBe("done");
  expect(await tryFor(ledger, slow, 31_000)).toBe("The server is silent.");
  expect(await tryFor(archive, slow, 299_000)).toBe("done");
  expect(await tryFor(archive, slow, 301_000)).toBe("The server is silent.");
  const long = { ...slow, isLong: true };
  expect(await tryFor(archive, long, 3_600_000)).toBe("done");
});

test("is not well on a server that only reads, as a standby does", async () => {
  const address = await emptyAddress();
  await (await openPostgresLedger(address)).close();
  const reading = new URL(address);
  reading.searchParams.set("options", "-c default_transaction_read_only=on");
  const ledger = await open(reading.href);
  await expect(ledger.health?.()).rejects.toMatchObject({
    code: "LEDGER_READ_ONLY",
    message: expect.stringContaining("only reads: it may be a standby"),
    messageWithoutPath:
      "The server of the ledger only reads: it may be a standby. Nothing was recorded; name the primary server.",
  });
});

test("splits notifications that would be longer than the server takes", async () => {
  const address = await emptyAddress();
  const [here, { client }] = [await open(address), await connect(address)];
  const payloads: string[] = [];
  client.on("notification", ({ payload = "" }) => void payloads.push(payload));
  await client.query(`listen toolgate_${postgresAddress(address).schema}`);
  const names = Array.from({ length: 60 }, (_, number) => `${number} ${"long ".repeat(80)}`);
  const leases = await Promise.all(names.map((sessionId) => claim(here, { sessionId })));
  await Promise.all(leases.map((lease) => here.append(lease, [said("one")], DURABLE)));
  await vi.waitFor(
    () => expect(names.filter((name) => payloads.join("").includes(name))).toEqual(names),
    LIMIT,
  );
  expect(payloads.length).toBeGreaterThan(2);
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
});
