/** A long session is opened from its snapshot and what came after it, and is the session that its log makes. */
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { Ledger, ReadOptions, SessionEvent } from "../src/call/index.js";
import { readAll, SessionBook } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { SessionRecord } from "../src/record/index.js";
import { folder } from "./agent-kit.js";

const NOON = Date.UTC(2026, 0, 2, 12);

/** Five events a call. */
function callNumber(number: number): SessionEvent[] {
  const [toolCallId, at] = [`call-${number}`, NOON + number];
  return [
    { type: "call-announced", toolCallId, at, name: "t", title: "T", kind: "other", kindSource: "declared" },
    { type: "input-ready", toolCallId, at, rawInput: { number } },
    { type: "call-cleared", toolCallId, at, decision: { by: "rule", rule: "r", at } },
    { type: "run-started", toolCallId, at },
    { type: "call-done", toolCallId, at, rawOutput: { number } },
  ];
}
const calls = (from: number, count: number): SessionEvent[] =>
  Array.from({ length: count }, (_, index) => callNumber(from + index)).flat();

async function aFile(): Promise<string> {
  return join(await folder(), "ledger.db");
}

async function opened(file: string): Promise<Ledger> {
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** The ledger, and from where on it was read; pages that go on after the one before are one read. */
function readsOf(ledger: Ledger): { readonly ledger: Ledger; readonly reads: number[] } {
  const reads: number[] = [];
  let pageEnd = 0;
  const watched = new Proxy(ledger, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        if (name === "read") {
          const { after = 0, limit = 0 } = values[1] as ReadOptions;
          if (after === 0 || after !== pageEnd) reads.push(after);
          pageEnd = after + limit;
        }
        return Reflect.apply(member, target, values) as unknown;
      };
    },
  });
  return { ledger: watched, reads };
}

const open = (ledger: Ledger, owner = "ann") => SessionRecord.open(ledger, "s1", { owner });

const held = ({ seq, book }: SessionRecord) => ({ seq, session: book.snapshot() });

async function logged(ledger: Ledger): Promise<ReturnType<typeof held>> {
  const log = (await readAll(ledger, "s1")).map(({ event }) => event);
  return { seq: log.length, session: new SessionBook("s1", log).snapshot() };
}

const byHand = (file: string, sql: string): void => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};

test("a session that is closed and opened again is read from its snapshot on, and goes on", async () => {
  const file = await aFile();
  const first = await open(await opened(file));
  await first.append(calls(0, 300), { durable: true });
  await first.close();
  const { ledger, reads } = readsOf(await opened(file));
  const second = await open(ledger);
  expect(reads).toEqual([1500]);
  expect(held(second)).toStrictEqual(await logged(ledger));
  await second.append(calls(300, 10));
  expect(held(second)).toStrictEqual(await logged(ledger));
  await second.close();
  expect((await verifyLedger(file)).broken).toEqual([]);
});

test("saves snapshots of a long session before it is closed, and none of a short one", async () => {
  const file = await aFile();
  const ledger = await opened(file);
  const dies = await open(ledger);
  await dies.append(calls(0, 20));
  await dies.close();
  expect(await ledger.snapshot?.("s1")).toBeUndefined();
  const again = await open(ledger);
  for (let batch = 1; batch <= 50; batch += 1) await again.append(calls(batch * 20, 20));
  // An append stores the snapshot in the background.
  await again.catchUp();
  expect((await ledger.snapshot?.("s1"))?.seq).toBeGreaterThanOrEqual(5100 * 0.6);
  const { ledger: watched, reads } = readsOf(await opened(file));
  const next = await open(watched, "ann");
  expect(reads[0]).toBeGreaterThanOrEqual(5100 * 0.6);
  expect(held(next)).toStrictEqual(await logged(watched));
  await next.close();
});

test("an answer from elsewhere that came after the snapshot is not missed", async () => {
  const file = await aFile();
  const ledger = await opened(file);
  const first = await open(ledger);
  const question = {
    questionId: "q1",
    sessionId: "s1",
    toolCallId: "call-asked",
    intentHash: "h",
    title: "T",
    options: [{ optionId: "no", name: "No", kind: "reject_once" as const }],
    askedAt: NOON,
  };
  const [announced, ready] = callNumber(0).map((event) => ({ ...event, toolCallId: "call-asked" }));
  await first.append([
    ...calls(1, 200),
    ...([announced, ready] as SessionEvent[]),
    { type: "question-asked", toolCallId: "call-asked", at: NOON, question },
  ]);
  await first.close();
  await ledger.answer("q1", {
    outcome: { type: "selected", optionId: "no" },
    intentHash: "h",
    by: "person",
    at: NOON,
  });
  const next = await open(ledger);
  expect(next.book.question("q1")?.state.status).toBe("answered");
  expect(held(next)).toStrictEqual(await logged(ledger));
  await next.close();
});

test.each([
  ["was changed by hand", "update snapshots set saved = replace(saved, 'call-7', 'call-x')"],
  ["is of another version", `update snapshots set saved = replace(saved, '"version":', '"version":9')`],
  ["is no JSON", "update snapshots set saved = '{'"],
  ["has lost its table", "drop table snapshots"],
])("the whole log is folded when the snapshot %s", async (_, sql) => {
  const file = await aFile();
  const first = await openLedger(file);
  const record = await open(first);
  await record.append(calls(0, 300));
  await record.close();
  await first.close();
  byHand(file, sql);
  const { ledger, reads } = readsOf(await opened(file));
  const next = await open(ledger);
  expect(reads).toEqual([0]);
  expect(held(next)).toStrictEqual(await logged(ledger));
  await next.close();
});

test("folds the log alone when its events do not continue the snapshot", async () => {
  const ledger = await opened(await aFile());
  const first = await open(ledger);
  await first.append(calls(0, 300));
  await first.close();
  const snapshot = await ledger.snapshot?.("s1");
  const wrong = new Proxy(ledger, {
    get(target, name) {
      // As a mistake of the fold would make it: a call that has ended is not there.
      if (name === "snapshot") return () => Promise.resolve({ seq: 1496, saved: snapshot?.saved ?? "" });
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const next = await open(wrong);
  expect(held(next)).toStrictEqual(await logged(ledger));
  await next.close();
});

test("a snapshot that cannot be kept is not missed", async () => {
  const ledger = await opened(await aFile());
  const full = new Proxy(ledger, {
    get(target, name) {
      if (name === "keepSnapshot") return () => Promise.reject(new Error("The disk is full."));
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const first = await open(full);
  await first.append(calls(0, 500));
  await first.append(calls(500, 10));
  expect(held(first)).toStrictEqual(await logged(ledger));
  await first.close();
  const next = await open(ledger);
  expect(held(next)).toStrictEqual(await logged(ledger));
  await next.close();
});
