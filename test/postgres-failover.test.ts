/** A failover to a real standby that had not got the last commits. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DURABLE, claim, codeOf, said, SESSION } from "../src/history/contract/contract.samples.js";
import { BrokenLine } from "../src/history/postgres/broken-line.samples.js";
import { postgresAddress } from "../src/history/postgres/postgres-address.js";
import { checkServer } from "../src/history/postgres/check-server.js";
import { openPostgresLedger } from "../src/history/postgres/open-postgres-ledger.js";
import { makeServer, makeStandby } from "../src/history/postgres/postgres-server.samples.js";
import { SqlConnections } from "../src/history/postgres/sql-connections.js";
import { SessionRecord } from "../src/record/index.js";
import { until } from "./until.js";

test("stops the work on a session when a failover lost what was acknowledged, and others go on from the log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-failover-"));
  chmodSync(folder, 0o755);
  const primary = await makeServer(join(folder, "primary"));
  const line = new BrokenLine();
  const address = await line.open(primary.address());
  const ledger = await openPostgresLedger(address);
  const standby = await makeStandby(primary, join(folder, "standby"));
  onTestFinished(async () => {
    await standby.stop("immediate");
    await line.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const record = await SessionRecord.open(ledger, SESSION, { owner: "alice", leaseMs: 60_000 });
  const kept = await claim(ledger, { sessionId: "kept", milliseconds: 60_000 });
  await ledger.append(kept, [said("before")], DURABLE);
  await record.append([said("one")]);
  const behind = await SqlConnections.open(postgresAddress(standby.address()));
  const count = { sql: "select 1 as one from toolgate.events" };
  await until(async () => (await behind.run<[], object>(count)).length === 2);
  expect((await checkServer(primary.address())).warnings).toContainEqual(
    expect.stringContaining("a failover can lose acknowledged events"),
  );
  // The standby gets nothing more, and the server acknowledges all the same.
  await behind.run({ sql: "alter system set primary_conninfo = ''" });
  await behind.run({ sql: "select pg_reload_conf()" });
  await until(
    async () => (await behind.run<[], object>({ sql: "select 1 from pg_stat_wal_receiver" })).length === 0,
  );
  await record.append([said("two")]);
  await primary.stop("immediate");
  line.cut();
  await standby.promote();
  line.leadTo(standby.address());
  line.reopen();

  expect(await codeOf(record.append([said("three")]))).toBe("LOG_BEHIND");
  expect(record.lost.aborted).toBe(true);
  // A session of which nothing was lost goes on.
  expect(await ledger.append(kept, [said("after")], DURABLE)).toBe(2);
  await record.close();
  const next = await SessionRecord.open(ledger, SESSION, { owner: "bob" });
  await next.append([said("from here")]);
  expect((await ledger.read(SESSION)).map(({ event }) => event)).toEqual([said("one"), said("from here")]);
  await next.close();
  await behind.close();
  await ledger.close();
});
