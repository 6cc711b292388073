/** An append whose connection is lost after the server has stored it, and does not come back in time. */
import { afterEach, expect, test } from "vitest";
import { problemOf } from "../src/aap/api/aap-problem.js";
import type { Ledger } from "../src/call/index.js";
import { claim, codeOf, DURABLE, said, SESSION } from "../src/history/contract/contract.samples.js";
import { BrokenLine } from "../src/history/postgres/broken-line.samples.js";
import { openPostgresLedger } from "../src/history/postgres/open-postgres-ledger.js";
import { emptyAddress } from "../src/history/postgres/store.samples.js";
import { SessionRecord } from "../src/record/index.js";
import { until } from "./until.js";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function open(): Promise<{ far: Ledger; direct: Ledger; line: BrokenLine }> {
  const address = await emptyAddress();
  const line = new BrokenLine();
  opened.push(line);
  const far = await openPostgresLedger(await line.open(address), { retryMs: 1 });
  const direct = await openPostgresLedger(address);
  opened.push(direct, far);
  return { far, direct, line };
}

const texts = async (ledger: Ledger) => (await ledger.read(SESSION)).map(({ event }) => event);

test("records events once when nobody knows whether an append was stored", async () => {
  const { far, direct, line } = await open();
  const lease = await claim(far);
  await far.append(lease, [said("one")], DURABLE);
  line.loseReplyTo("two");
  const lost = codeOf(far.append(lease, [said("two")], DURABLE));
  await until(async () => (await texts(direct)).length === 2);
  line.cut();
  expect(await lost).toBe("APPEND_UNKNOWN");
  line.reopen();
  // The owner would append them again; only a new lease may, whose owner has read the log.
  expect(await codeOf(far.append(lease, [said("two")], DURABLE))).toBe("APPEND_UNKNOWN");
  const next = await claim(far);
  expect(await far.append(next, [said("three")], DURABLE)).toBe(3);
  expect(await texts(direct)).toEqual([said("one"), said("two"), said("three")]);
});

test("ends the work on a session when nobody knows what its log has", async () => {
  const { far, direct, line } = await open();
  const record = await SessionRecord.open(far, SESSION, { owner: "alice" });
  await record.append([said("one")]);
  line.loseReplyTo("two");
  const lost = codeOf(record.append([said("two")]));
  await until(async () => (await texts(direct)).length === 2);
  line.cut();
  expect(await lost).toBe("APPEND_UNKNOWN");
  expect(record.lost.aborted).toBe(true);
  line.reopen();
  await record.close();
  // The lease was given back.
  const lease = await claim(direct, { owner: "bob" });
  expect(await direct.append(lease, [said("three")], DURABLE)).toBe(3);
});

test("goes on with the lease after an append that could not be sent", async () => {
  const { far, line } = await open();
  const lease = await claim(far, { milliseconds: 60_000 });
  await far.append(lease, [said("one")], DURABLE);
  line.cut();
  // The first loses its connection, and finds that nothing was stored when the line is back.
  await until(async () => (await codeOf(far.read(SESSION))) === "LEDGER_UNREACHABLE");
  expect(await codeOf(far.append(lease, [said("two")], DURABLE))).toBe("LEDGER_UNREACHABLE");
  line.reopen();
  expect(await far.append(lease, [said("two")], DURABLE)).toBe(2);
});

test("says to clients that the server is away, and not where it is", async () => {
  const { far, line } = await open();
  line.cut();
  const error: unknown = await far.read(SESSION).then(undefined, (thrown: unknown) => thrown);
  expect(String(error)).toContain("The server of postgres://…@localhost");
  const { code, message } = problemOf(error);
  expect([code, message]).toEqual([
    "UNAVAILABLE",
    expect.stringMatching(/^The server of the ledger cannot be reached\. /),
  ]);
});
