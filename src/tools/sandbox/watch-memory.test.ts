import { totalmem } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchFree } from "./free-watch.js";
import { watchMemory } from "./watch-memory.js";

test("reads the memory that is free on this machine, and compares it with the reserve", async () => {
  const found: string[] = [];
  const free: number[] = [];
  // Other programs take memory and give some back meanwhile, so the reserves are out of their reach.
  const watch = (name: string, reserve: number) =>
    watchMemory(
      () => found.push(name),
      (bytes) => (free.push(bytes), reserve),
    );
  const watches = [watch("full", 2 ** 50), watch("enough", 0)];
  onTestFinished(() => watches.forEach(({ stop }) => stop()));
  await vi.waitUntil(() => free.length === 2 && found.length > 0, { timeout: 60_000 });
  expect(found).toEqual(["full"]);
  for (const bytes of free) {
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(totalmem());
  }
});

test("reports once when less than the reserve of the beginning is left, and not before", async () => {
  const free = [1_000, 900, undefined, 501, 500, 499, 100];
  const looks: (number | undefined)[] = [];
  let reports = 0;
  const freeBytes = () => {
    const now = free[looks.length];
    looks.push(now);
    return Promise.resolve(now);
  };
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const watch = watchFree({ free: freeBytes, reserve: (bytes) => bytes / 2 }, () => (reports += 1));
  await vi.advanceTimersByTimeAsync(250 * 5);
  expect([looks.at(-1), reports]).toEqual([500, 0]);
  await vi.advanceTimersByTimeAsync(250 * 10);
  expect([looks.at(-1), reports]).toEqual([499, 1]);
  watch.stop();
});
