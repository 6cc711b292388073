import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { IllegalEvent, LedgerError } from "../../call/index.js";
import { GroupCommit } from "./group-commit.js";

const QUICK = { durable: false };
const DURABLE = { durable: true };

/** Records each commit and its kind of transaction; fails on request. */
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

afterEach(() => vi.restoreAllMocks());

test("writes of one turn are committed together, at its end", async () => {
  const { commits, committed, write } = aStore();
  const all = Promise.all(["a", "b", "c"].map((word) => commits.add(write(word), QUICK)));
  await Promise.resolve();
  expect(committed).toEqual([]);
  expect(await all).toEqual(["A", "B", "C"]);
  expect(committed).toEqual(["quick: a b c"]);
  await commits.add(write("d"), QUICK);
  expect(committed).toEqual(["quick: a b c", "quick: d"]);
});

test("delays a commit briefly while several writers are active", async () => {
  const { commits, committed, write } = aStore();
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const all = [commits.add(write("a"), QUICK), commits.add(write("b"), DURABLE)];
  await setImmediate();
  all.push(commits.add(write("c"), QUICK));
  await Promise.all(all);
  expect(committed).toEqual(["durable: a b c"]);
  const late = [commits.add(write("d"), QUICK), commits.add(write("e"), QUICK)];
  await setImmediate();
  clock.mockReturnValue(1_000);
  late.push(commits.add(write("f"), QUICK));
  await setImmediate();
  expect(committed).toEqual(["durable: a b c", "quick: d e f"]);
  await Promise.all(late);
});

test("does not delay a single writer", async () => {
  const { commits, committed, write } = aStore();
  const alone = commits.add(write("a"), DURABLE);
  await setImmediate();
  expect(committed).toEqual(["durable: a"]);
  await alone;
});

test("makes a group durable when one of its writes must be, and not the next group", async () => {
  const { commits, committed, write } = aStore();
  await Promise.all([commits.add(write("a"), QUICK), commits.add(write("b"), DURABLE)]);
  await commits.add(write("c"), QUICK);
  const last = commits.add(write("d"), DURABLE);
  commits.flush();
  await last;
  expect(committed).toEqual(["durable: a b", "quick: c", "durable: d"]);
});

test("commits a write that cannot wait, and those that wait with it, before the event loop continues", async () => {
  const { commits, committed, write } = aStore();
  const turn = setImmediate("the next turn");
  const waiting = commits.add(write("a"), QUICK);
  const urgent = ["b", "c"].map((word) => commits.add(write(word), { durable: false, atOnce: true }));
  expect(await Promise.race([turn, Promise.all([waiting, ...urgent])])).toEqual(["A", "B", "C"]);
  expect(committed).toEqual(["quick: a b c"]);
  await turn;
  expect(committed).toHaveLength(1);
});

test("commits the waiting writes once on a flush", async () => {
  const { commits, committed, write } = aStore();
  const waiting = commits.add(write("a"), QUICK);
  commits.flush();
  commits.flush();
  await setImmediate();
  expect(await waiting).toBe("A");
  expect(committed).toEqual(["quick: a"]);
});

test.each([
  new LedgerError("LEASE_LOST", "lost"),
  new IllegalEvent("Question 1", "question-answered", "is open"),
])("rejects a refused write, and commits those beside it: $name", async (refusal) => {
  const { commits, committed, write } = aStore();
  const refuse = () => {
    throw refusal;
  };
  const outcomes = await Promise.allSettled([
    commits.add(write("a"), QUICK),
    commits.add(refuse, QUICK),
    commits.add(write("b"), QUICK),
  ]);
  expect(outcomes).toEqual([
    { status: "fulfilled", value: "A" },
    { status: "rejected", reason: refusal },
    { status: "fulfilled", value: "B" },
  ]);
  expect(committed).toEqual(["quick: a b"]);
});

test("rejects all writes when the database fails, at a write or at the commit, and tries the next ones again", async () => {
  const store = aStore();
  const { commits, committed, write } = store;
  const full = new Error("the disk is full");
  const fail = () => {
    throw full;
  };
  const rejected = { status: "rejected", reason: full };
  expect(
    await Promise.allSettled([
      commits.add(write("a"), QUICK),
      commits.add(fail, QUICK),
      commits.add(write("b"), QUICK),
    ]),
  ).toEqual([rejected, rejected, rejected]);
  store.failure = full;
  expect(
    await Promise.allSettled([commits.add(write("c"), QUICK), commits.add(write("d"), DURABLE)]),
  ).toEqual([rejected, rejected]);
  store.failure = undefined;
  expect(await commits.add(write("e"), QUICK)).toBe("E");
  expect(committed).toEqual(["quick: e"]);
});
