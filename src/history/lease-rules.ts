/**
 * Who may claim a session and who may write to it, the same in every ledger.
 *
 * What must stay true: fences are counted over the whole ledger and never used twice, so a lease that
 * is over needs no trace. Only the fence decides; an owner's name is for the reader of the message. A clock that is
 * set may cost a holder its lease, and never gives two the right to write.
 */
import type { Lease } from "../call/index.js";
import { LedgerError } from "../call/index.js";

/** A lease, and for how long it was last taken; unknown of one from before that was kept. */
export type HeldLease = Lease & { readonly milliseconds: number | undefined };

/** Throws LEASE_HELD when the newest lease is another owner's and still lasts. */
export function checkFree(newest: HeldLease | undefined, owner: string, now: number): void {
  if (!newest || newest.owner === owner || now >= newest.expiresAt || isFromLaterClock(newest, now)) return;
  // Not until when: whoever has it goes on having it, as long as they need it.
  throw new LedgerError(
    "LEASE_HELD",
    `Session ${newest.sessionId} is open in another process (${newest.owner}). Nothing was done; end it there, or try again later.`,
  );
}

/** Throws LEASE_LOST unless the lease is the newest; `done` says what was not done then. */
export function checkNewest(newest: Lease | undefined, lease: Lease, done: string): void {
  if (newest?.fence === lease.fence) return;
  const why = newest ? `${newest.owner} has claimed it since` : "nobody holds it";
  throw new LedgerError(
    "LEASE_LOST",
    `${lease.owner} has lost the lease on session ${lease.sessionId}: ${why}. Nothing was ${done}.`,
  );
}

/**
 * With twice its length still to go, it was taken before the clock was set back, and whoever took it has not renewed
 * it since. Without this, a session whose process died by then would be held for as long as the clock went back.
 */
function isFromLaterClock({ expiresAt, milliseconds = Infinity }: HeldLease, now: number): boolean {
  return expiresAt - now > 2 * milliseconds;
}
