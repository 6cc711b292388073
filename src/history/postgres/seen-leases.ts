/**
 * The leases that looks for work have found, timed by a clock that nobody sets. The server's clock decides about a lease,
 * and one that is set back makes a dead holder's lease last longer: a lease that was not renewed in its whole length is
 * over all the same.
 */
import type { WorkRow } from "./ledger-values.js";

type SeenLease = { readonly fence: number; readonly leaseUntil: number; readonly endsAt: number };

/** Between the question to the server and its answer, by `performance.now`. */
export type LookTime = { readonly sentAt: number; readonly answeredAt: number };

export class SeenLeases {
  #seen: ReadonlyMap<string, SeenLease> = new Map();
  #over: ReadonlyMap<string, SeenLease> = new Map();

  /** Replaces the leases of the look before. Returns how long each lease still lasts, in milliseconds; 0 when it is over. */
  look(rows: readonly WorkRow[], { sentAt, answeredAt }: LookTime): readonly number[] {
    const seen = new Map<string, SeenLease>();
    const over = new Map<string, SeenLease>();
    const left = rows.map(({ session_id, fence, lease_until, lease_ms, left_ms }) => {
      if (left_ms <= 0 || fence === null || lease_until === null) return 0;
      const before = this.#seen.get(session_id);
      const isSame = before?.fence === fence && before.leaseUntil === lease_until;
      const endsAt = answeredAt + Math.min(left_ms, lease_ms ?? left_ms);
      const lease = {
        fence,
        leaseUntil: lease_until,
        endsAt: isSame ? Math.min(before.endsAt, endsAt) : endsAt,
      };
      seen.set(session_id, lease);
      // The row was read after the question was sent.
      if (sentAt < lease.endsAt) return lease.endsAt - sentAt;
      over.set(session_id, lease);
      return 0;
    });
    this.#seen = seen;
    this.#over = over;
    return left;
  }

  /** Whether the last look has found this lease over. */
  isOver(sessionId: string, fence: number | null, leaseUntil: number | null): boolean {
    const lease = this.#over.get(sessionId);
    return lease !== undefined && lease.fence === fence && lease.leaseUntil === leaseUntil;
  }
}
