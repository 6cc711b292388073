/** Notifications of other instances' commits, by a connection that falls silent. */
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { IdleFollowers } from "../follow-log.js";
import { BrokenLine } from "./broken-line.samples.js";
import { CommitNotices } from "./commit-notices.js";
import { ledgerStatements } from "./ledger-statements.js";
import { postgresAddress } from "./postgres-address.js";
import { SqlConnections } from "./sql-connections.js";
import { emptyAddress } from "./store.samples.js";

test("listens on another connection when the first one is silent", async () => {
  const address = await emptyAddress();
  const line = new BrokenLine();
  const direct = await SqlConnections.open(postgresAddress(address));
  const far = await SqlConnections.open(postgresAddress(await line.open(address)));
  const seen: (string | undefined)[] = [];
  const options = {
    statements: ledgerStatements(direct.address.schema),
    followers: new IdleFollowers(),
    followed: () => [],
    onAnswer: () => undefined,
    onChange: (sessionId: string | undefined) => void seen.push(sessionId),
  };
  const sql = {
    address: direct.address,
    run: direct.run.bind(direct),
    dedicated: far.dedicated.bind(far),
  };
  const listener = new CommitNotices({ ...options, sql, probeEveryMs: 20 });
  const sender = new CommitNotices({ ...options, sql: direct });
  listener.start();
  const isNotified = (sessionId: string) =>
    vi.waitFor(
      () => {
        sender.send(sessionId);
        expect(seen).toContain(sessionId);
      },
      { timeout: 60_000, interval: 20 },
    );
  await isNotified("before");
  // No end of the connection arrives, as when a machine on the way forgets it.
  line.silence();
  await isNotified("after");
  await Promise.all([listener.close(), sender.flush()]);
  await sender.close();
  await Promise.all([direct.close(), far.close()]);
  await line.close();
});

test("tests its connection by one notification at a time when the server is slow", async () => {
  const direct = await SqlConnections.open(postgresAddress(await emptyAddress()));
  let [started, running, most] = [0, 0, 0];
  const run: typeof direct.run = async (...words) => {
    started += 1;
    most = Math.max(most, (running += 1));
    await setTimeout(30);
    return direct.run(...words).finally(() => (running -= 1));
  };
  const notices = new CommitNotices({
    statements: ledgerStatements(direct.address.schema),
    followers: new IdleFollowers(),
    followed: () => [],
    onAnswer: () => undefined,
    onChange: () => undefined,
    sql: { address: direct.address, run, dedicated: direct.dedicated.bind(direct) },
    probeEveryMs: 5,
  });
  notices.start();
  await vi.waitFor(() => expect(started).toBeGreaterThan(6), { timeout: 60_000 });
  await notices.close();
  await vi.waitFor(() => expect(running).toBe(0), { timeout: 60_000 });
  await direct.close();
  expect(most).toBe(1);
});
