/**
 * Keeps a shared archive up to date from one of the processes that share it: the one with the lease on a session that never
 * has events. A query of another process indexes only what is still missing, so queries never wait for that process.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { Archive, Lease, Ledger } from "../call/index.js";
import { LedgerError } from "../call/index.js";

/** No session of an agent has such a name. */
const INDEXER = "\u0000indexer";
const LEASE_MS = 15_000;
const EVERY_MS = 5_000;

type LeasePort = Pick<Ledger, "claim" | "renew" | "release">;

export type KeepIndexedOptions = {
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
  readonly leaseMs?: number;
};

/** Resolves after the signal has aborted, when the lease is free. */
export async function keepIndexed(
  ledger: LeasePort,
  archive: Pick<Archive, "refresh">,
  { signal, onError, everyMs = EVERY_MS, leaseMs = LEASE_MS }: KeepIndexedOptions,
): Promise<void> {
  const owner = `indexer ${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  let lease: Lease | undefined;
  while (!signal.aborted) {
    try {
      lease = lease
        ? await ledger.renew(lease, { milliseconds: leaseMs })
        : await ledger.claim(INDEXER, owner, { milliseconds: leaseMs, isAnywhere: true });
      await whileRenewed(ledger, lease, leaseMs, () => archive.refresh());
    } catch (error) {
      // Another process has the lease, or took it.
      if (error instanceof LedgerError) lease = undefined;
      else if (!signal.aborted) onError(error);
    }
    await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  if (lease) await ledger.release(lease).catch(onError);
}

/** Indexing a large ledger for the first time takes longer than the lease. */
async function whileRenewed(
  ledger: LeasePort,
  lease: Lease,
  milliseconds: number,
  work: () => Promise<void>,
): Promise<void> {
  // A renewal that fails is no reason to stop: two processes that index at once only do the same work twice.
  const renew = () => void ledger.renew(lease, { milliseconds }).catch(() => undefined);
  const timer = setInterval(renew, milliseconds / 3).unref();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}
