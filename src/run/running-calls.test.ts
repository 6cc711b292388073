import { expect, test } from "vitest";
import { RunningCalls, RunGroups } from "./running-calls.js";
import type { LinkedAbort } from "./linked-abort.js";

const never = () => new AbortController().signal;

/** A task that ends when it is stopped, and keeps the signal it was given. */
function task() {
  let finish: () => void = () => undefined;
  let given: AbortSignal | undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run = ({ signal }: LinkedAbort) => {
    given = signal;
    return ended;
  };
  return { run, finish: () => finish(), signal: () => given };
}

test("keeps a call running until its task has ended", async () => {
  const calls = new RunningCalls();
  const { run, finish } = task();
  void calls.start("a", never(), run);
  expect([calls.has("a"), calls.has("b"), calls.size]).toEqual([true, false, 1]);
  const ended = calls.ended("a");
  finish();
  await ended;
  expect(calls.size).toBe(0);
  await calls.ended("a");
});

test("does not start a call that already runs", async () => {
  const calls = new RunningCalls();
  const first = task();
  void calls.start("a", never(), first.run);
  void calls.start("a", never(), () => Promise.reject(new Error("twice")));
  expect(calls.size).toBe(1);
  const ended = calls.ended("a");
  first.finish();
  await ended;
});

test("stops one call with the reason, and refuses to stop one that does not run", () => {
  const calls = new RunningCalls();
  const [one, other] = [task(), task()];
  void calls.start("a", never(), one.run);
  void calls.start("b", never(), other.run);
  const reason = new Error("enough");
  expect([calls.stop("a", reason), calls.stop("c", reason)]).toEqual([true, false]);
  expect(one.signal()?.reason).toBe(reason);
  expect(other.signal()?.aborted).toBe(false);
});

test("passes the turn's abort to every call, also to one that starts after it", () => {
  const calls = new RunningCalls();
  const turn = new AbortController();
  const [one, late] = [task(), task()];
  void calls.start("a", turn.signal, one.run);
  const reason = new Error("the turn is over");
  turn.abort(reason);
  void calls.start("b", turn.signal, late.run);
  expect([one.signal()?.reason, late.signal()?.reason]).toEqual([reason, reason]);
});

test("removes a task that failed, without an unhandled rejection", async () => {
  const calls = new RunningCalls();
  void calls.start("a", never(), () => Promise.reject(new Error("broken")));
  await calls.ended("a").catch(() => undefined);
  expect(calls.size).toBe(0);
});

const unaborted = new AbortController().signal;

test("lets calls of one group run together, and makes another group wait until they have ended", async () => {
  const groups = new RunGroups();
  expect(await groups.enter("reading commands", unaborted)).toBe(false);
  expect(await groups.enter("reading commands", unaborted)).toBe(false);
  let isIn = false;
  const change = groups.enter("changes", unaborted).then((hasWaited) => {
    isIn = true;
    return hasWaited;
  });
  groups.leave();
  await Promise.resolve();
  expect(isIn).toBe(false);
  groups.leave();
  expect(await change).toBe(true);
  groups.leave();
  expect(await groups.enter("other commands", unaborted)).toBe(false);
});

test.each(["reading commands", "other commands"])(
  "lets a bounded number of %s run at once, each in its turn",
  async (group) => {
    const groups = new RunGroups();
    const started: number[] = [];
    const enter = (number: number) => groups.enter(group, never()).then(() => started.push(number));
    const all = Array.from({ length: 200 }, (_, number) => enter(number));
    await Promise.all(all.slice(0, 64));
    expect(started).toHaveLength(64);
    // A call of another group comes after those that came before it.
    const change = groups.enter("changes", unaborted).then(() => started.push(-1));
    for (let left = 0; left < 200; left += 1) {
      groups.leave();
      await Promise.resolve();
      await Promise.resolve();
    }
    await Promise.all([...all, change]);
    expect(started).toEqual([...Array.from({ length: 200 }, (_, number) => number), -1]);
  },
);

test("does not let a later call of the running group pass one of another group that waits", async () => {
  const groups = new RunGroups();
  const order: string[] = [];
  await groups.enter("reading commands", unaborted);
  const change = groups.enter("changes", unaborted).then(() => order.push("change"));
  const late = groups.enter("reading commands", unaborted).then(() => order.push("late"));
  groups.leave();
  await change;
  groups.leave();
  await late;
  expect(order).toEqual(["change", "late"]);
});

test("lets a call that is aborted while it waits go on to its end", async () => {
  const groups = new RunGroups();
  const abort = new AbortController();
  await groups.enter("reading commands", unaborted);
  const waiting = groups.enter("changes", abort.signal);
  abort.abort();
  expect(await waiting).toBe(true);
  groups.leave();
  groups.leave();
  expect(await groups.enter("changes", unaborted)).toBe(false);
});
