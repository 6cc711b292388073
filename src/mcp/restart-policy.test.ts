import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RestartPolicy } from "./restart-policy.js";

test("waits twice as long each time and gives up after five restarts in a minute", () => {
  const policy = new RestartPolicy();
  const delays: (number | undefined)[] = [];
  let now = 0;
  for (let crash = 0; crash < 6; crash += 1) {
    const delay = policy.nextDelay(now);
    delays.push(delay);
    now += delay ?? 0;
  }
  expect(delays).toEqual([200, 400, 800, 1600, 3200, undefined]);
});

test("waits at most half a minute for a server that dies every twenty seconds", () => {
  const policy = new RestartPolicy();
  const delays: (number | undefined)[] = [];
  let now = 0;
  for (let crash = 0; crash < 12; crash += 1) {
    policy.wasUp(20_000);
    const delay = policy.nextDelay(now);
    delays.push(delay);
    now += 20_000 + (delay ?? 0);
  }
  expect(delays.slice(-3)).toEqual([30_000, 30_000, 30_000]);
});

test("resets the delay after a minute without a crash", () => {
  const policy = new RestartPolicy();
  policy.nextDelay(0);
  policy.nextDelay(1000);
  policy.wasUp(60_000);
  expect(policy.nextDelay(70_000)).toBe(200);
});

test("starts a server at most five times in any minute", () => {
  const crash = fc.record({ after: fc.nat(40_000), wasUp: fc.nat(120_000) });
  fc.assert(
    fc.property(fc.array(crash, { maxLength: 60 }), (crashes) => {
      const policy = new RestartPolicy();
      const starts: number[] = [];
      let now = 0;
      for (const { after, wasUp } of crashes) {
        now += after;
        policy.wasUp(wasUp);
        const delay = policy.nextDelay(now);
        if (delay === undefined) continue;
        expect(delay).toBeGreaterThanOrEqual(200);
        expect(delay).toBeLessThanOrEqual(30_000);
        now += delay;
        starts.push(now);
      }
      for (const start of starts) {
        expect(starts.filter((at) => at > start - 60_000 && at <= start).length).toBeLessThanOrEqual(5);
      }
    }),
  );
});
