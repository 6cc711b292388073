import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identityOf, isGone } from "./process-identity.js";

test("calls a process gone when it was killed, reaped or not", async () => {
  const child = spawn("sleep", ["300"]);
  const identity = identityOf(child.pid ?? 0);
  expect(isGone(identity)).toBe(false);
  child.kill("SIGSTOP");
  expect(isGone(identity)).toBe(false);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  // Node may not have read its exit yet.
  await expect.poll(() => isGone(identity)).toBe(true);
  await exited;
  expect(isGone(identity)).toBe(true);
});

test.skipIf(process.platform !== "linux")("is not misled by a process that got the same pid later", () => {
  const own = identityOf(process.pid);
  expect(isGone(own)).toBe(false);
  expect(isGone({ ...own, startTick: own.startTick + 1 })).toBe(true);
});

test("calls no process of another machine or container gone", () => {
  const identity = { ...identityOf(process.pid), pid: 2 ** 22 - 1 };
  expect(isGone(identity)).toBe(true);
  expect(isGone({ ...identity, machine: `${identity.machine}x` })).toBe(false);
});
