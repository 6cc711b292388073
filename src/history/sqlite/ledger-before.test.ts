/** Files that were written before are read and written on, as if nothing had changed. */
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, expect, test } from "vitest";
import { codeOf, DURABLE, said, textsOf } from "../contract/contract.samples.js";
import { aStore } from "../history.samples.js";
import { LEDGER_BEFORE } from "./ledger-before.samples.js";
import { verifyLedger } from "./verify-ledger.js";

const store = aStore();
const WHEN = 1_700_000_000_000;
const MINUTE = { milliseconds: 60_000 };

let file: string;
beforeEach(() => {
  file = store.newFile();
  const database = new DatabaseSync(file);
  database.exec(LEDGER_BEFORE);
  database.close();
});

test("reads everything in it", async () => {
  const ledger = await store.ledger(file);
  expect(await textsOf(ledger, "s2")).toEqual(["three"]);
  expect((await ledger.read("s1")).map(({ event }) => event.type)).toEqual([
    "message-chunk",
    "message-chunk",
    "question-asked",
  ]);
  expect((await ledger.read("s1", { type: "question-asked" })).map(({ seq }) => seq)).toEqual([3]);
  expect(await ledger.sessions()).toEqual([
    { sessionId: "s1", createdAt: WHEN, updatedAt: WHEN, lastSeq: 3 },
    { sessionId: "s2", createdAt: WHEN, updatedAt: WHEN, lastSeq: 1 },
  ]);
  expect((await ledger.openQuestions()).map(({ questionId }) => questionId)).toEqual(["q1"]);
  expect(await ledger.snapshot?.("s1")).toEqual({ seq: 2, saved: '{"version":0}' });
  const hash = "79f076abdd19a752db7267bfff2f9022161d120dea919fdaca2ffdfc24ca8c96";
  expect(new TextDecoder().decode(await ledger.getBlob(hash))).toBe("kept");
});

test("events with the names of that time are read with today's", async () => {
  const database = new DatabaseSync(file);
  const insert = database.prepare("insert into events (session, seq, event) values (2, ?, ?)");
  for (const [index, type] of ["cancel-wished", "call-lost"].entries())
    insert.run(index + 2, JSON.stringify({ type, toolCallId: "t1", at: 1, reason: "the process died" }));
  database.close();
  const read = await (await store.ledger(file)).read("s2");
  expect(read.map(({ event }) => event.type)).toEqual(["message-chunk", "cancel-requested", "call-unknown"]);
});

test("raises the file's version, so that an older program refuses it", async () => {
  await (await store.ledger(file)).close();
  const database = new DatabaseSync(file);
  expect(database.prepare("pragma user_version").get()).toEqual({ user_version: 6 });
  database.close();
});

test("keeps the holder of a session, raises the fence and continues the chain", async () => {
  const ledger = await store.ledger(file, () => WHEN + 1);
  const held = { sessionId: "s1", owner: "ann", fence: 1, expiresAt: WHEN + 60_000 };
  expect(await codeOf(ledger.claim("s1", "bob", MINUTE))).toBe("LEASE_HELD");
  expect(await ledger.append(held, [said("four")], DURABLE)).toBe(4);
  expect(await ledger.claim("s1", "ann", MINUTE)).toMatchObject({ fence: 3 });
  expect(await codeOf(ledger.append(held, [said("late")], DURABLE))).toBe("LEASE_LOST");
  expect(await verifyLedger(file)).toMatchObject({ sessions: 2, events: 5, brokenCount: 0, notCovered: 0 });
});
