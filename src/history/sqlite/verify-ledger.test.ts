import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../call/index.js";
import { aRun, aStore, record, said } from "../history.samples.js";
import { verifyLedger } from "./verify-ledger.js";

const store = aStore();
let file: string;

beforeEach(async () => {
  file = store.newFile();
  const ledger = await store.ledger(file);
  await record(ledger, "s1", [...aRun("c1"), said("hello")]);
  await record(ledger, "s2", aRun("c1"));
  await record(ledger, "s1", aRun("c2"));
  await ledger.close();
});

/** As someone would who has the file and SQLite. */
function byHand(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const problems = async (options = {}) =>
  (await verifyLedger(file, options)).broken.map(
    ({ sessionId, seq, problem }) => `${sessionId} ${seq} ${problem}`,
  );

test("reports no damage in an unchanged ledger, and the head of each chain", async () => {
  const progress: number[] = [];
  const verified = await verifyLedger(file, { onProgress: ({ events }) => progress.push(events) });
  expect(verified).toMatchObject({ sessions: 2, events: 22, notCovered: 0, brokenCount: 0, broken: [] });
  expect(verified.heads).toEqual([
    { sessionId: "s1", seq: 15, link: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { sessionId: "s2", seq: 7, link: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(progress.at(-1)).toBe(22);
});

test("reports each event whose kept file was changed by hand, and none whose file is not stored", async () => {
  const ledger = await store.ledger(file);
  const blob = await ledger.putBlob(Buffer.from("as it was"));
  const kept = (name: string): SessionEvent => {
    const change = {
      type: "removed",
      path: "/a",
      before: { type: "file", blob: name, mode: 0o644 },
    } as const;
    return { type: "file-kept", toolCallId: "c1", at: 0, change };
  };
  await record(ledger, "s2", [kept(blob), kept(blob), kept("0".repeat(64))]);
  await ledger.close();
  const read: (number | undefined)[] = [];
  const verified = await verifyLedger(file, { onProgress: ({ keptFiles }) => read.push(keptFiles) });
  expect(verified).toMatchObject({ events: 25, brokenCount: 0 });
  expect(read.at(-1)).toBe(2);
  byHand(`update blobs set bytes = x'00'`);
  expect(await problems()).toEqual(["s2 8 changed", "s2 9 changed"]);
});

describe("reports a change by hand, with the session, the event and the fault:", () => {
  test.each([
    [
      "a changed decision",
      `update events set event = replace(event, 'listing', 'other') where session = 1 and seq = 3`,
      ["s1 3 changed"],
    ],
    [
      "a changed link",
      `update events set chain = 'x' where session = 1 and seq = 3`,
      ["s1 3 changed", "s1 4 changed"],
    ],
    ["a removed event", `delete from events where session = 1 and seq = 3`, ["s1 3 missing"]],
    [
      "several removed events",
      `delete from events where session = 1 and seq between 2 and 4`,
      ["s1 2 missing"],
    ],
    ["a removed end", `delete from events where session = 2 and seq > 5`, ["s2 6 missing"]],
    ["a removed beginning", `delete from events where session = 2 and seq < 3`, ["s2 1 missing"]],
    [
      "an event added at the end",
      `insert into events values (2, 8, '{"type":"call-undone"}', null)`,
      ["s2 8 added", "s2 8 added"],
    ],
    [
      "an event put in between",
      `update events set seq = -seq where session = 2 and seq > 3; update events set seq = 1 - seq where session = 2 and seq < 0;
       insert into events values (2, 4, '{}', null); update sessions set last_seq = 8 where number = 2`,
      ["s2 4 added", "s2 5 changed", "s2 6 changed", "s2 7 changed", "s2 8 changed"],
    ],
    [
      "two events that changed places",
      `update events set seq = -3 where session = 2 and seq = 3; update events set seq = 3 where session = 2 and seq = 4;
       update events set seq = 4 where session = 2 and seq = -3`,
      ["s2 3 changed", "s2 4 changed", "s2 5 changed"],
    ],
    [
      "an event of another session",
      `update events set event = (select event from events where session = 1 and seq = 9), chain = (select chain from events where session = 1 and seq = 1) where session = 2 and seq = 1`,
      ["s2 1 changed", "s2 2 changed"],
    ],
    [
      "an end that was cut with its number",
      `delete from events where session = 2 and seq > 5; update sessions set last_seq = 5 where number = 2`,
      ["s2 5 changed"],
    ],
    ["links that were taken off", `update events set chain = null where session = 2`, ["s2 7 changed"]],
  ])("%s", async (_what, sql, expected) => {
    byHand(sql);
    expect(await problems()).toEqual(expected);
  });
});

test("links that are kept elsewhere show also what a new chain hides", async () => {
  const { heads } = await verifyLedger(file);
  expect(await problems({ heads })).toEqual([]);
  byHand(`delete from events where session = 2 and seq > 5;
    update sessions set last_seq = 5, chain = (select chain from events where session = 2 and seq = 5) where number = 2`);
  expect(await problems()).toEqual([]);
  expect(await problems({ heads })).toEqual(["s2 7 missing"]);
  byHand("pragma foreign_keys = on; delete from sessions where number = 2");
  expect(await problems({ heads })).toEqual(["s2 7 missing"]);
});

test("verifies a session that continued after its links were read", async () => {
  const { heads } = await verifyLedger(file);
  await record(await store.ledger(file), "s2", [said("more")]);
  expect(await problems({ heads })).toEqual([]);
});

test("events from before there was a chain are not covered, and those after them are", async () => {
  byHand(
    "update events set chain = null where session = 2; update sessions set chain = null where number = 2",
  );
  expect(await verifyLedger(file)).toMatchObject({ notCovered: 7, brokenCount: 0 });
  await record(await store.ledger(file), "s2", [said("more")]);
  expect(await verifyLedger(file)).toMatchObject({ notCovered: 7, brokenCount: 0, events: 23 });
  byHand("update events set event = replace(event, 'more', 'less') where session = 2 and seq = 8");
  expect(await problems()).toEqual(["s2 8 changed"]);
});

test("reads a ledger of the first version, and chains it from its next opening on", async () => {
  byHand(`alter table events drop column chain; alter table sessions drop column chain;
    alter table blobs drop column put_at; drop table snapshots; alter table leases drop column milliseconds;
    alter table leases drop column holder; pragma user_version = 1`);
  expect(await verifyLedger(file)).toMatchObject({ events: 22, notCovered: 22, brokenCount: 0 });
  const ledger = await store.ledger(file);
  expect(await record(ledger, "s1", [said("more")])).toBe(16);
  expect(await verifyLedger(file)).toMatchObject({ events: 23, notCovered: 22, brokenCount: 0 });
});
