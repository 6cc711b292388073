import { expect, test } from "vitest";
import { RunGroups } from "./run-groups.js";

const never = new AbortController().signal;

test("lets calls of one group run together, and makes another group wait until they have ended", async () => {
  const groups = new RunGroups();
  expect(await groups.enter("reading commands", never)).toBe(false);
  expect(await groups.enter("reading commands", never)).toBe(false);
  let isIn = false;
  const change = groups.enter("changes", never).then((hasWaited) => {
    isIn = true;
    return hasWaited;
  });
  groups.leave();
  await Promise.resolve();
  expect(isIn).toBe(false);
  groups.leave();
  expect(await change).toBe(true);
  groups.leave();
  expect(await groups.enter("other commands", never)).toBe(false);
});

test("does not let a later call of the running group pass one of another group that waits", async () => {
  const groups = new RunGroups();
  const order: string[] = [];
  await groups.enter("reading commands", never);
  const change = groups.enter("changes", never).then(() => order.push("change"));
  const late = groups.enter("reading commands", never).then(() => order.push("late"));
  groups.leave();
  await change;
  groups.leave();
  await late;
  expect(order).toEqual(["change", "late"]);
});

test("lets a call that is aborted while it waits go on to its end", async () => {
  const groups = new RunGroups();
  const abort = new AbortController();
  await groups.enter("reading commands", never);
  const waiting = groups.enter("changes", abort.signal);
  abort.abort();
  expect(await waiting).toBe(true);
  groups.leave();
  groups.leave();
  expect(await groups.enter("changes", never)).toBe(false);
});
