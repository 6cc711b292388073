import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.js";

test("runs tasks in order, one at a time, also after one that failed", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} starts`);
    await Promise.resolve();
    log.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const results = Promise.allSettled(["a", "b", "c"].map((name) => queue.run(task(name))));
  await queue.idle();
  expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
