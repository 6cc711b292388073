import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchMemory } from "./memory-watch.js";

const TAKEN_BYTES = 512 << 20;

test("reports that too little memory is free when a process takes it, and not before", async () => {
  const found: string[] = [];
  const beginning: number[] = [];
  const watch = (name: string, mayTake: number) =>
    watchMemory(
      () => found.push(name),
      (free) => (beginning.push(free), free - mayTake),
    );
  // Other programs take memory meanwhile, and give some back.
  const watches = [watch("full", TAKEN_BYTES / 4), watch("enough", 2 ** 50)];
  onTestFinished(() => watches.forEach(({ stop }) => stop()));
  await vi.waitUntil(() => beginning.length === 2);
  const text = `const taken = Buffer.alloc(${TAKEN_BYTES}, 1); setInterval(() => taken.length, 1_000)`;
  const child = spawn(process.execPath, ["-e", text], { stdio: "ignore" });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await vi.waitUntil(() => found.length > 0, { timeout: 60_000 });
  expect(found).toEqual(["full"]);
});
