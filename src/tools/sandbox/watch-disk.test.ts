import { statfs } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { aWorkspace } from "../tools.samples.js";
import { watchDisk } from "./watch-disk.js";

// Other tests write to the same disk and delete from it meanwhile, so the test does not depend on how much of it is free.
test("reports that less of the folder's disk is free than must stay free", async () => {
  const { root } = await aWorkspace({});
  const found: string[] = [];
  const beginning: number[] = [];
  const watch = (name: string, mustStay: number) =>
    watchDisk(root, () => found.push(name), { reserve: (free) => (beginning.push(free), mustStay) });
  const watches = [watch("nothing may be written", Number.POSITIVE_INFINITY), watch("all may be written", 0)];
  onTestFinished(() => watches.forEach(({ stop }) => stop()));
  await vi.waitUntil(() => beginning.length === 2 && found.length > 0, { timeout: 60_000 });
  expect(found).toEqual(["nothing may be written"]);
  const { blocks, bsize } = await statfs(root);
  for (const free of beginning) {
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(blocks * bsize);
  }
});

test("reports that too few files can still be made, where the disk counts them", async () => {
  const { root } = await aWorkspace({});
  const { files } = await statfs(root);
  let reports = 0;
  const { stop } = watchDisk(root, () => (reports += 1), {
    reserve: () => 0,
    files: () => Number.POSITIVE_INFINITY,
  });
  onTestFinished(stop);
  if (files > 0) await vi.waitUntil(() => reports === 1, { timeout: 60_000 });
  expect(reports).toBe(files > 0 ? 1 : 0);
});
