import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedEvent } from "../call/index.js";
import { said } from "./contract/contract.samples.js";
import { soon } from "./contract/following.samples.js";
import { followLog, IdleFollowers } from "./follow-log.js";

/** A store at the other end of a wire: a read sees the log at one moment, and its result arrives later. */
class RemoteLog {
  readonly #log: RecordedEvent[] = [];
  readonly #followers = new IdleFollowers();
  readonly #controller = new AbortController();
  readonly #delays: readonly Delay[];
  reads = 0;

  constructor(delays: readonly Delay[]) {
    this.#delays = delays;
  }

  append(): void {
    this.#log.push({ seq: this.#log.length + 1, event: said("one") });
    this.#followers.wake("session-1");
  }

  follow(): AsyncGenerator<RecordedEvent> {
    const { signal } = this.#controller;
    return followLog(
      {
        readAfter: async (after) => {
          const { before, after: later } = this.#delays[this.reads++ % this.#delays.length] ?? NO_DELAY;
          await turns(before);
          const events = this.#log.slice(after, after + 3);
          await turns(later);
          return { log: this, events };
        },
        listen: () => this.#followers.listen("session-1", signal),
        isOver: () => signal.aborted,
      },
      0,
    );
  }

  abort(): void {
    this.#controller.abort();
  }

  get hasListeners(): boolean {
    return !this.#followers.isEmpty;
  }
}

type Delay = { readonly before: number; readonly after: number };
const NO_DELAY = { before: 0, after: 0 };

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

test("wakes for an event that is appended during the read that misses it", async () => {
  const log = new RemoteLog([{ before: 0, after: 3 }]);
  const follower = log.follow();
  const next = follower.next();
  await turns(1);
  log.append();
  expect((await next).value).toMatchObject({ seq: 1 });
});

test("stops listening while its reader pauses, and when it is aborted during a read", async () => {
  const log = new RemoteLog([{ before: 0, after: 2 }]);
  log.append();
  const follower = log.follow();
  await follower.next();
  expect(log.hasListeners).toBe(false);
  const ended = follower.next();
  await turns(1);
  log.abort();
  expect(await ended).toEqual({ done: true, value: undefined });
  expect(log.hasListeners).toBe(false);
});

const delay = fc.record({ before: fc.nat(3), after: fc.nat(3) });

test("yields every event once and in order, however slow the store is and whenever events are appended", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(delay, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
      async (delays, pauses, readerPauses) => {
        const log = new RemoteLog(delays);
        const seen: number[] = [];
        const read = async () => {
          for await (const { seq } of log.follow()) {
            seen.push(seq);
            if (seq === pauses.length) return;
            await turns(readerPauses[seq % readerPauses.length] ?? 0);
          }
        };
        const append = async () => {
          for (const pause of pauses) {
            await turns(pause);
            log.append();
          }
        };
        await soon(
          Promise.all([read(), append()]).then(() => undefined),
          "the reader gets the last event",
        );
        expect(seen).toEqual(pauses.map((_, index) => index + 1));
        expect(log.hasListeners).toBe(false);
      },
    ),
    { endOnFailure: true, numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
  );
});
