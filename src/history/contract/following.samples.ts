/** A follower that records the events it has seen, and waits with a timeout. */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Ledger, RecordedEvent } from "../../call/index.js";
import { SESSION } from "./contract.samples.js";

type FollowOptions = {
  readonly sessionId?: string;
  readonly after?: number;
  /** Turns of the event loop that the follower takes over each event. */
  readonly pause?: number;
  readonly controller?: AbortController;
};

type Follower = {
  readonly seen: readonly RecordedEvent[];
  readonly ended: Promise<void>;
  /** Waits until so many events were seen. */
  readonly has: (count: number) => Promise<void>;
  readonly hasSeq: (seq: number) => Promise<void>;
  /** Aborts, and waits until the loop has ended by itself. */
  readonly stop: () => Promise<void>;
};

export function startFollowing(ledger: Ledger, options: FollowOptions = {}): Follower {
  const { sessionId = SESSION, after, pause = 0, controller = new AbortController() } = options;
  const { signal } = controller;
  const seen: RecordedEvent[] = [];
  const follow = async () => {
    for await (const recorded of ledger.follow(
      sessionId,
      after === undefined ? { signal } : { after, signal },
    )) {
      seen.push(recorded);
      await turns(pause);
    }
  };
  const ended = follow();
  const until = async (isThere: () => boolean, what: string) => {
    const deadline = Date.now() + WAIT_TIMEOUT_MS;
    while (!isThere()) {
      if (Date.now() > deadline)
        throw new Error(`${what}: only ${seen.map(({ seq }) => seq).join(", ")} came`);
      await setImmediate();
    }
  };
  return {
    seen,
    ended,
    has: (count) => until(() => seen.length >= count, `waited for ${count} events`),
    hasSeq: (seq) => until(() => seen.at(-1)?.seq === seq, `waited for event ${seq}`),
    stop: () => {
      controller.abort();
      return soon(ended, "the follower ends after the abort");
    },
  };
}

const WAIT_TIMEOUT_MS = 5000;

export async function soon(promise: Promise<void>, what: string): Promise<void> {
  const controller = new AbortController();
  const tooLate = async () => {
    await setTimeout(WAIT_TIMEOUT_MS, undefined, { signal: controller.signal });
    throw new Error(`${what}: not within ${WAIT_TIMEOUT_MS} ms`);
  };
  const waiting = tooLate();
  // When the promise wins, the timer is aborted and nobody awaits it any more.
  waiting.catch(() => undefined);
  try {
    await Promise.race([promise, waiting]);
  } finally {
    controller.abort();
  }
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await (turn % 2 === 0 ? Promise.resolve() : setImmediate());
}

export function abortedController(): AbortController {
  const controller = new AbortController();
  controller.abort();
  return controller;
}
