/** The archive's rows of a session that grows between two queries. */
import { expect, onTestFinished, test } from "vitest";
import type { Ledger, ReadOptions, SessionEvent } from "../../../call/index.js";
import { aRun, record, said } from "../../history.samples.js";
import { openPostgresLedger } from "../open-postgres-ledger.js";
import { postgresAddress } from "../postgres-address.js";
import { SqlConnections } from "../sql-connections.js";
import { emptyAddress } from "../store.samples.js";
import { ArchiveIndex } from "./archive-index.js";

const step = (stepId: string): SessionEvent => ({
  type: "step-ended",
  at: 5,
  turnId: "turn-1",
  stepId,
  toolCallIds: [],
  answer: { model: "some-model", parts: [] },
  usage: { inputTokens: 3, outputTokens: 2 },
});

/** A message and a call that go on in a later portion, a part of an earlier call, a step. */
const PORTIONS: readonly (readonly SessionEvent[])[] = [
  [said("one ", { messageId: "m1" }), ...aRun("call_1").slice(0, 3)],
  [...aRun("call_1").slice(3), said("two", { messageId: "m2" })],
  [said(" and more", { messageId: "m2" }), step("step-1")],
  aRun("proxied_1").map((event) => ({ ...event, parentToolCallId: "call_1" })),
  [said("three", { messageId: "m3" }), ...aRun("call_2"), step("step-2")],
];

async function open() {
  const address = await emptyAddress();
  const [ledger, sql] = [
    await openPostgresLedger(address),
    await SqlConnections.open(postgresAddress(address)),
  ];
  onTestFinished(async () => {
    await ledger.close();
    await sql.close();
  });
  const reads: number[] = [];
  const read = (sessionId: string, options?: ReadOptions) => {
    reads.push(options?.after ?? 0);
    return ledger.read(sessionId, options);
  };
  const rows = async () => {
    const tables = ["archive_sessions", "archive_items", "archive_steps"];
    return Promise.all(
      tables.map((table) =>
        sql.run<[], object>({ sql: `select t.* from ${sql.address.schema}.${table} t order by t::text` }),
      ),
    );
  };
  const newIndex = (using: Pick<Ledger, "read"> = { read }) =>
    new ArchiveIndex({ sql, ledger: using, patterns: [] });
  return { ledger, sql, reads, rows, newIndex };
}

test("reads and writes only what is new of a session that has grown, with the same rows as from its start", async () => {
  const { ledger, sql, reads, rows, newIndex } = await open();
  const index = newIndex();
  let seq = 0;
  for (const events of PORTIONS) {
    reads.splice(0);
    const from = seq;
    seq = await record(ledger, "growing", events);
    await index.refresh();
    expect(reads).toEqual([from]);
  }
  const grown = await rows();
  expect(grown.map((table) => table.length)).toEqual([1, 6, 2]);
  await sql.run({ sql: `delete from ${sql.address.schema}.archive_sessions` });
  await newIndex().refresh();
  expect(grown).toEqual(await rows());
});

test("indexes a session as a whole when another instance has indexed it in between", async () => {
  const { ledger, reads, rows, newIndex } = await open();
  const [here, there] = [newIndex(), newIndex()];
  await record(ledger, "shared", PORTIONS[0] ?? []);
  await here.refresh();
  await record(ledger, "shared", PORTIONS[1] ?? []);
  await there.refresh();
  await record(ledger, "shared", PORTIONS[2] ?? []);
  reads.splice(0);
  await here.refresh();
  expect(reads).toEqual([0]);
  expect((await rows()).map((table) => table.length)).toEqual([1, 3, 1]);
});
