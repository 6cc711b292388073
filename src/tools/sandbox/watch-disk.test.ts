import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { aWorkspace } from "../tools.samples.js";
import { watchDisk } from "./watch-disk.js";

test("reports that too little of the disk is free when a command fills it, and not before", async () => {
  const { root } = await aWorkspace({});
  const found: string[] = [];
  const beginning: number[] = [];
  const watch = (name: string, mayFill: number) =>
    watchDisk(
      root,
      () => found.push(name),
      (free) => (beginning.push(free), free - mayFill),
    );
  // Others may write to the same disk meanwhile.
  const watches = [watch("full", 16 << 20), watch("enough", 2 ** 40)];
  onTestFinished(() => watches.forEach(({ stop }) => stop()));
  await vi.waitUntil(() => beginning.length === 2);
  writeFileSync(join(root, "a"), Buffer.alloc(64 << 20));
  await vi.waitUntil(() => found.length > 0, { timeout: 60_000 });
  expect(found).toEqual(["full"]);
});
