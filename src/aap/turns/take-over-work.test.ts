/** Which of the sessions that a store names are taken over, and when again. */
import { afterEach, expect, test, vi } from "vitest";
import type { Ledger } from "../../call/index.js";
import { MemoryLedger } from "../../history/memory/memory-ledger.js";
import { takeOverWork } from "./take-over-work.js";
import type { TakeOver } from "./take-over-work.js";

afterEach(() => vi.restoreAllMocks());

/** A store that names the session each time that it is asked to. */
function naming(sessionId: string): { readonly ledger: Ledger; readonly name: () => Promise<void> } {
  let go: (() => void) | undefined;
  let named: (() => void) | undefined;
  async function* work() {
    for (;;) {
      await new Promise<void>((resolve) => (go = resolve));
      yield sessionId;
      named?.();
    }
  }
  const name = async () => {
    await vi.waitFor(() => expect(go).toBeDefined());
    const isNamed = new Promise<void>((resolve) => (named = resolve));
    go?.();
    await isNamed;
  };
  return { ledger: Object.assign(new MemoryLedger(), { work }), name };
}

async function triesFor(result: TakeOver, betweenTries: () => void = () => undefined): Promise<number> {
  const { ledger, name } = naming("session-1");
  let tries = 0;
  const takeOver = async () => {
    tries += 1;
    return result;
  };
  const over = new AbortController();
  void takeOverWork(
    { ledger, onError: () => undefined, parts: [takeOver], onTaken: () => undefined },
    over.signal,
  );
  await name();
  betweenTries();
  await name();
  over.abort();
  return tries;
}

test("takes a session over again at once when its next question was answered", async () => {
  expect(await triesFor("taken")).toBe(2);
});

test("does not try at every look what it cannot resume", async () => {
  expect(await triesFor("left")).toBe(1);
});

test("tries again after a while when the machine's clock was set back", async () => {
  const start = performance.now();
  const later = () => {
    vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
    vi.spyOn(performance, "now").mockReturnValue(start + 60_000);
  };
  expect(await triesFor("left", later)).toBe(2);
});
