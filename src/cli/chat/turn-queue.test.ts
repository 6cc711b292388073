import { expect, test } from "vitest";
import { TurnQueue } from "./turn-queue.js";

/** A queue whose turns end when the test says so. */
function queue() {
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  const turns = new TurnQueue((text, running) => {
    ran.push(text);
    return new Promise((resolve) => {
      ends.push(resolve);
      running.signal.addEventListener("abort", () => resolve());
    });
  });
  return { turns, ran, end: () => ends.shift()?.() };
}

test("sends what waited after a turn that was resumed, in order", async () => {
  const { turns, ran, end } = queue();
  const all = turns.send("");
  await turns.send("one");
  await turns.send("two");
  expect([ran, turns.waiting]).toEqual([[""], ["one", "two"]]);
  for (const _ of [1, 2, 3]) {
    end();
    await Promise.resolve();
    await new Promise(setImmediate);
  }
  await all;
  expect(ran).toEqual(["", "one", "two"]);
});

test("sends nothing more when it is stopped", async () => {
  const { turns, ran } = queue();
  const all = turns.send("one");
  await turns.send("two");
  await turns.stop(new Error("The client is gone."));
  await all;
  expect(ran).toEqual(["one"]);
  expect(turns.running).toBeUndefined();
});
