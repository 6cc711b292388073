import { expect, test } from "vitest";
import type { SessionEvent } from "../../call/index.js";
import { answered, ask, NOON, QUESTION, YES } from "../contract/contract.samples.js";
import { ledgerContract } from "../contract/ledger.contract.js";
import { MemoryLedger } from "./memory-ledger.js";

ledgerContract("MemoryLedger", async ({ now }) => new MemoryLedger({ now }));

const said = (text: string): SessionEvent => ({
  type: "message-chunk",
  at: 0,
  messageId: "message-1",
  role: "agent",
  block: { type: "text", text },
});

test("uses the machine's clock when it gets none", async () => {
  const ledger = new MemoryLedger();
  const before = Date.now();
  const { expiresAt } = await ledger.claim("session-1", "ann", { milliseconds: 1000 });
  expect(expiresAt).toBeGreaterThanOrEqual(before + 1000);
  expect(expiresAt).toBeLessThanOrEqual(Date.now() + 1000);
});

test("shares nothing between two ledgers", async () => {
  const [one, other] = [new MemoryLedger(), new MemoryLedger()];
  const lease = await one.claim("session-1", "ann", { milliseconds: 1000 });
  await one.append(lease, [said("one")], { durable: true });
  expect(await other.read("session-1")).toEqual([]);
  expect((await other.claim("session-1", "bob", { milliseconds: 1000 })).owner).toBe("bob");
});

test("freezes the shared events that it returns, at any depth", async () => {
  const ledger = new MemoryLedger();
  const lease = await ledger.claim("session-1", "ann", { milliseconds: 1000 });
  await ledger.append(lease, [said("one")], { durable: false });
  const [first] = await ledger.read("session-1");
  const [again] = await ledger.read("session-1");
  expect(again).toBe(first);
  expect(isFrozen(first)).toBe(true);
  expect(Object.isFrozen(lease)).toBe(true);
});

test("questions and receipts that it returns cannot be changed either, whichever call recorded them", async () => {
  const ledger = new MemoryLedger({ now: () => NOON });
  const lease = await ask(ledger, QUESTION);
  const [open] = await ledger.openQuestions();
  expect(open).toEqual(QUESTION);
  expect(isFrozen(open)).toBe(true);
  const byAppend = { ...YES, who: "ann" };
  await ledger.append(lease, [answered("question-1", byAppend)], { durable: true });
  const receipt = await ledger.answer("question-1", YES);
  expect(receipt).toEqual({ counted: false, answer: byAppend });
  expect(isFrozen(receipt)).toBe(true);
});

test("stays consistent when an event writes to the ledger while it is being stored", async () => {
  const ledger = new MemoryLedger();
  const lease = await ledger.claim("session-1", "ann", { milliseconds: 1000 });
  const inner: Promise<unknown>[] = [];
  const meddler = {
    toJSON() {
      inner.push(ledger.append(lease, [said("from within")], { durable: false }));
      return "meddled";
    },
  };
  const outer: SessionEvent = { type: "info-changed", at: 0, info: { _meta: { meddler } } };
  expect(await ledger.append(lease, [said("one"), outer], { durable: false })).toBe(3);
  expect(await Promise.all(inner)).toEqual([1]);
  expect((await ledger.read("session-1")).map(({ seq, event }) => `${seq} ${event.type}`)).toEqual([
    "1 message-chunk",
    "2 message-chunk",
    "3 info-changed",
  ]);
});

test("keeps no events for a follower that stops reading", async () => {
  const ledger = new MemoryLedger();
  const lease = await ledger.claim("session-1", "ann", { milliseconds: 1000 });
  const { signal } = new AbortController();
  const follower = ledger.follow("session-1", { signal })[Symbol.asyncIterator]();
  await ledger.append(lease, [said("one")], { durable: false });
  expect((await follower.next()).value).toMatchObject({ seq: 1 });
  for (let count = 0; count < 1000; count++) await ledger.append(lease, [said("more")], { durable: false });
  const log = await ledger.read("session-1");
  // The very event of the log, and no copy that was put by for the follower.
  expect((await follower.next()).value).toBe(log[1]);
  await ledger.close();
  expect(await follower.next()).toEqual({ done: true, value: undefined });
});

test("removes the abort listener of a follower that ended", async () => {
  const ledger = new MemoryLedger();
  const lease = await ledger.claim("session-1", "ann", { milliseconds: 1000 });
  const { signal } = new AbortController();
  let listeners = 0;
  const counting = new Proxy(signal, {
    get(target, name) {
      if (name === "addEventListener") return () => listeners++;
      if (name === "removeEventListener") return () => listeners--;
      return Reflect.get(target, name, target) as unknown;
    },
  });
  const follower = ledger.follow("session-1", { signal: counting })[Symbol.asyncIterator]();
  const next = follower.next();
  expect(listeners).toBe(1);
  await ledger.append(lease, [said("one")], { durable: false });
  await next;
  expect(listeners).toBe(0);
});

function isFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
