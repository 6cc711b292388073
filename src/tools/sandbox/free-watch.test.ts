import { expect, onTestFinished, test, vi } from "vitest";
import { watchFree } from "./free-watch.js";

/** A watch whose looks all wait, and then find nothing left. */
async function overlappingLooks() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const waiting: ((free: number) => void)[] = [];
  const onFull = vi.fn<() => void>();
  const freeBytes = () => new Promise<number>((resolve) => waiting.push(resolve));
  const watch = watchFree({ free: freeBytes, reserve: () => 1 }, onFull);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waiting.length).toBeGreaterThan(1);
  const end = async (): Promise<void> => {
    waiting.forEach((resolve) => resolve(0));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { watch, onFull, end };
}

test("reports once when slow looks overlap", async () => {
  const { onFull, end } = await overlappingLooks();
  await end();
  expect(onFull).toHaveBeenCalledOnce();
});

test("reports nothing after it was stopped, also when a look was under way", async () => {
  const { watch, onFull, end } = await overlappingLooks();
  watch.stop();
  await end();
  expect(onFull).not.toHaveBeenCalled();
});
