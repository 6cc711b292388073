/**
 * The rules of claiming a session and of writing to it, the same in every ledger.
 *
 * Invariants: fences are counted over the whole ledger and never used twice, so an ended lease leaves no trace. Only the
 * fence decides; an owner's name is for messages only. A clock that someone sets may cost a holder its lease, and never
 * gives two holders the right to write.
 */
import type { Lease } from "../call/index.js";
import { LedgerError } from "../call/index.js";
import type { ProcessIdentity } from "../process/process-identity.js";
import { isGone } from "../process/process-identity.js";

export type StoredLease = Lease & {
  /** The last duration of the lease; unknown for a lease from before durations were stored. */
  readonly milliseconds: number | undefined;
  /** The process that has it; unknown for a lease from before it was stored. */
  readonly holder?: ProcessIdentity | undefined;
};

/** Throws LEASE_HELD when the newest lease is another owner's, still lasts, and its process may still write. */
export function checkFree(newest: StoredLease | undefined, owner: string, now: number): void {
  if (!newest || newest.owner === owner || holderOf(newest, now) === undefined) return;
  throw heldElsewhere(newest);
}

/** The message names no time: the holder renews the lease as long as it needs the session. */
export function heldElsewhere({ sessionId, owner }: Lease): LedgerError {
  return new LedgerError(
    "LEASE_HELD",
    `Session ${sessionId} is open in another process (${owner}). Nothing was done; end it there, or try again later.`,
    owner,
  );
}

/** The owner of a lease that lasts and whose process may still write. */
export function holderOf(newest: StoredLease | undefined, now: number): string | undefined {
  if (!newest || now >= newest.expiresAt || isFromLaterClock(newest, now)) return undefined;
  // A dead process can neither renew its lease nor write with it.
  return newest.holder && isGone(newest.holder) ? undefined : newest.owner;
}

/** Throws LEASE_LOST unless the lease is the newest; `done` says what was not done then. */
export function checkNewest(newest: Lease | undefined, lease: Lease, done: string): void {
  if (newest?.fence === lease.fence) return;
  const why = newest ? `${newest.owner} has claimed it since` : "it has ended, and nobody holds the session";
  throw new LedgerError(
    "LEASE_LOST",
    `${lease.owner} has lost the lease on session ${lease.sessionId}: ${why}. Nothing was ${done}; open the session again to continue it.`,
  );
}

/**
 * A lease with more than twice its duration to go was taken before the clock was set back, and has not been renewed since.
 * Without this rule, the session of a dead process would stay locked for as long as the clock went back.
 */
function isFromLaterClock({ expiresAt, milliseconds = Infinity }: StoredLease, now: number): boolean {
  return expiresAt - now > 2 * milliseconds;
}

/** Undefined for a text that is not an identity: then nothing is known of that process. */
export function holderFromStored(text: string): ProcessIdentity | undefined {
  try {
    const { machine, pid, startTick } = JSON.parse(text) as Partial<ProcessIdentity>; // checked below
    if (typeof machine !== "string" || typeof pid !== "number" || typeof startTick !== "number")
      return undefined;
    // A pid below 1 would name a group of processes.
    return Number.isSafeInteger(pid) && pid > 0 ? { machine, pid, startTick } : undefined;
  } catch {
    return undefined;
  }
}
