/** Traps of PostgreSQL that cost other programs events or time, each on the run's server. */
import { Client } from "pg";
import { afterEach, expect, test, vi } from "vitest";
import type { Ledger } from "../../call/index.js";
import { eventPages } from "../../call/index.js";
import { claim, DURABLE, said, SESSION } from "../contract/contract.samples.js";
import { startFollowing } from "../contract/following.samples.js";
import { openPostgresLedger } from "./postgres-ledger.js";
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
