/** One of the processes that share an archive fills it. */
import { expect, onTestFinished, test, vi } from "vitest";
import { claim, DURABLE, said } from "../../contract/contract.samples.js";
import { keepIndexed } from "../../keep-indexed.js";
import { openPostgresLedger } from "../open-postgres-ledger.js";
import { emptyAddress } from "../store.samples.js";

const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 60_000 });

test("indexes in one process at a time, and in another one when the first stops", async () => {
  const address = await emptyAddress();
  const ledgers = [await openPostgresLedger(address), await openPostgresLedger(address)] as const;
  const refreshes = [0, 0];
  const errors: unknown[] = [];
  const stops = ledgers.map(() => new AbortController());
  const running = ledgers.map((ledger, index) =>
    keepIndexed(
      ledger,
      { refresh: async () => void (refreshes[index] = (refreshes[index] ?? 0) + 1) },
      {
        signal: stops[index]?.signal ?? AbortSignal.abort(),
        onError: (error) => errors.push(error),
        everyMs: 10,
      },
    ),
  );
  onTestFinished(async () => {
    for (const stop of stops) stop.abort();
    await Promise.all(running);
    for (const ledger of ledgers) await ledger.close();
  });
  await until(() => Math.max(...refreshes) > 3);
  const first = refreshes.findIndex((count) => count > 0);
  expect(refreshes[1 - first]).toBe(0);
  await ledgers[0].append(await claim(ledgers[0]), [said("one")], DURABLE);
  expect((await ledgers[0].sessions()).map(({ sessionId }) => sessionId)).toEqual(["session-1"]);
  stops[first]?.abort();
  await running[first];
  await until(() => (refreshes[1 - first] ?? 0) > 1);
  expect(errors).toEqual([]);
});

test("keeps the lease while one refresh takes longer than it", async () => {
  const over = new AbortController();
  const lease = { sessionId: "indexer", owner: "one", fence: 1, expiresAt: 0 };
  let renewals = 0;
  const renew = async () => {
    renewals += 1;
    return lease;
  };
  const refresh = async () => {
    await until(() => renewals > 2);
    over.abort();
  };
  const ledger = { claim: async () => lease, renew, release: async () => undefined };
  const onError = (error: unknown) => expect.unreachable(String(error));
  await keepIndexed(ledger, { refresh }, { signal: over.signal, onError, leaseMs: 30 });
  expect(renewals).toBeGreaterThan(2);
});
