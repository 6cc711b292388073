import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { IllegalEvent, LedgerError } from "../call/index.js";
import { GroupCommit } from "./group-commit.js";

const QUICK = { durable: false };
const DURABLE = { durable: true };

/** Notes what was committed, by which kind of transaction; fails when it is told to. */
function aStore() {
  const committed: string[] = [];
  let pending: string[] = [];
  const store = {
    committed,
    failure: undefined as Error | undefined,
    write: (word: string) => () => {
      pending.push(word);
      return word.toUpperCase();
    },
    commits: new GroupCommit((work, { durable }) => {
      pending = [];
      work();
      if (store.failure) throw store.failure;
      committed.push(`${durable ? "durable" : "quick"}: ${pending.join(" ")}`);
    }),
  };
  return store;
}

test("writes that may wait are committed together, at the end of the turn", async () => {
  const { commits, committed, write } = aStore();
  const all = Promise.all(["a", "b", "c"].map((word) => commits.soon(write(word), QUICK)));
  await Promise.resolve();
  expect(committed).toEqual([]);
  expect(await all).toEqual(["A", "B", "C"]);
  expect(committed).toEqual(["quick: a b c"]);
  await commits.soon(write("d"), QUICK);
  expect(committed).toEqual(["quick: a b c", "quick: d"]);
});

test("one that may not wait is committed at once, and takes along those before it", async () => {
  const { commits, committed, write } = aStore();
  const all = [
    commits.soon(write("a"), QUICK),
    commits.now(write("b"), { durable: true }),
    commits.soon(write("c"), QUICK),
  ];
  expect(committed).toEqual(["durable: a b"]);
  expect(await Promise.all(all)).toEqual(["A", "B", "C"]);
  expect(committed).toEqual(["durable: a b", "quick: c"]);
});

test("one that must be durable and may wait makes the whole group durable, and not the next one", async () => {
  const { commits, committed, write } = aStore();
  await Promise.all([commits.soon(write("a"), QUICK), commits.soon(write("b"), DURABLE)]);
  await commits.soon(write("c"), QUICK);
  const last = commits.soon(write("d"), DURABLE);
  commits.flush(QUICK);
  await last;
  expect(committed).toEqual(["durable: a b", "quick: c", "durable: d"]);
});

test("a flush commits what waits, once", async () => {
  const { commits, committed, write } = aStore();
  const waiting = commits.soon(write("a"), QUICK);
  commits.flush({ durable: false });
  commits.flush({ durable: false });
  await setImmediate();
  expect(await waiting).toBe("A");
  expect(committed).toEqual(["quick: a"]);
});

test.each([
  new LedgerError("LEASE_LOST", "lost"),
  new IllegalEvent("Question 1", "question-answered", "is open"),
])("one that is refused is told so, and those beside it are committed: $name", async (refusal) => {
  const { commits, committed, write } = aStore();
  const refuse = () => {
    throw refusal;
  };
  const outcomes = await Promise.allSettled([
    commits.soon(write("a"), QUICK),
    commits.soon(refuse, QUICK),
    commits.soon(write("b"), QUICK),
  ]);
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "A" },
    { status: "rejected", reason: refusal },
    { status: "fulfilled", value: "B" },
  ]);
  expect(committed).toEqual(["quick: a b"]);
});

test("when the database fails, at a write or at the commit, all are told, and the next ones are tried again", async () => {
  const store = aStore();
  const { commits, committed, write } = store;
  const full = new Error("the disk is full");
  const fail = () => {
    throw full;
  };
  const rejected = { status: "rejected", reason: full };
  expect(
    await Promise.allSettled([
      commits.soon(write("a"), QUICK),
      commits.soon(fail, QUICK),
      commits.soon(write("b"), QUICK),
    ]),
  ).toEqual([rejected, rejected, rejected]);
  store.failure = full;
  expect(
    await Promise.allSettled([commits.soon(write("c"), QUICK), commits.now(write("d"), { durable: true })]),
  ).toEqual([rejected, rejected]);
  store.failure = undefined;
  expect(await commits.soon(write("e"), QUICK)).toBe("E");
  expect(committed).toEqual(["quick: e"]);
});
