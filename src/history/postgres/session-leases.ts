/**
 * The leases on sessions: claimed, renewed, released, and removed with their session.
 *
 * Invariants: the server's clock and the fence decide, in the statement that writes. The claims, releases and removals of
 * one session run in the order of their calls.
 */
import type { ClaimOptions, Lease } from "../../call/index.js";
import { LedgerError } from "../../call/index.js";
import { identityOf, isGone } from "../../process/process-identity.js";
import { checkNewest, heldElsewhere, holderFromStored } from "../lease-rules.js";
import { nameFromStored, storedName } from "../stored-json.js";
import { newestLease } from "./append-queue.js";
import type { AppendQueue } from "./append-queue.js";
import { BatchQueue } from "./batch-queue.js";
import type { LedgerContext } from "./ledger-context.js";
import { ANYWHERE } from "./ledger-statements.js";
import type { ClaimedRow, HeadRow } from "./ledger-values.js";
import { ConnectionLost } from "./server-errors.js";

/** Renewals wait this long for others: leases last for seconds. */
const RENEW_TOGETHER_MS = 100;

type Renewal = {
  readonly lease: Lease;
  readonly milliseconds: number;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
};

export class SessionLeases {
  readonly #context: LedgerContext;
  readonly #appends: AppendQueue;
  readonly #renewals = new BatchQueue<Renewal>((items) => this.#renewAll(items), RENEW_TOGETHER_MS);
  /** The newest claim, release or removal of each session. */
  readonly #newest = new Map<string, Promise<void>>();
  readonly #holder = JSON.stringify(identityOf(process.pid));

  constructor(context: LedgerContext, appends: AppendQueue) {
    this.#context = context;
    this.#appends = appends;
  }

  claim(sessionId: string, owner: string, options: ClaimOptions): Promise<Lease> {
    return this.#inOrder(sessionId, () => this.#claim(sessionId, owner, options));
  }

  async #claim(sessionId: string, owner: string, options: ClaimOptions): Promise<Lease> {
    const { sql, statements, time } = this.#context;
    const name = storedName(sessionId);
    const own = this.#context.place === undefined ? null : storedName(this.#context.place);
    const place = options.isAnywhere ? ANYWHERE : own;
    const values = [name, storedName(owner), options.milliseconds, this.#holder, place] as const;
    let gone: Pick<HeadRow, "fence" | "lease_until"> = { fence: null, lease_until: null };
    for (;;) {
      const [claimed] = await sql.retried(statements.claim, time(), ...values, gone.fence, gone.lease_until);
      if (claimed) return this.#leased(sessionId, owner, claimed);
      const [held] = await sql.retried(statements.head, name);
      if (!held) {
        const [started] = await sql.retried(statements.begin, time(), ...values);
        if (started) return this.#leased(sessionId, owner, started);
        continue;
      }
      if (!isWithinReach(held.place, place)) throw otherPlace(sessionId, held.place);
      const newest = newestLease(held);
      if (!newest) continue;
      // A renewal has come in between when the times differ.
      const wasGone = held.fence === gone.fence && held.lease_until === gone.lease_until;
      if (wasGone || !this.#isOver(name, held)) throw heldElsewhere(newest);
      gone = held;
    }
  }

  /**
   * The lease is over although the server's clock says otherwise: its holder is gone or did not renew it. A claim
   * then fences the holder out.
   */
  #isOver(name: string, { fence, lease_until, holder }: HeadRow): boolean {
    const process = holder === null ? undefined : holderFromStored(holder);
    if (process && isGone(process)) return true;
    return this.#context.seenLeases.isOver(name, fence, lease_until);
  }

  #leased(sessionId: string, owner: string, row: ClaimedRow): Lease {
    this.#appends.learn(row.fence, row);
    return Object.freeze({ sessionId, owner, fence: row.fence, expiresAt: row.lease_until });
  }

  renew(lease: Lease, milliseconds: number): Promise<Lease> {
    return new Promise((resolve, reject) => this.#renewals.add({ lease, milliseconds, resolve, reject }));
  }

  /** Renews all leases in one statement. */
  async #renewAll(items: readonly Renewal[]): Promise<void> {
    const { sql, statements, time } = this.#context;
    try {
      const rows = await sql.retried(
        statements.renew,
        time(),
        items.map(({ lease }) => storedName(lease.sessionId)),
        items.map(({ lease }) => lease.fence),
        items.map(({ milliseconds }) => milliseconds),
      );
      const until = new Map(rows.map(({ fence, lease_until }) => [fence, lease_until]));
      await Promise.all(
        items.map(async ({ lease, milliseconds, resolve, reject }) => {
          const expiresAt = until.get(lease.fence);
          if (expiresAt !== undefined) resolve(renewed(lease, expiresAt));
          else await this.#renewOne(lease, milliseconds).then(resolve, reject);
        }),
      );
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  }

  /** Waits for the row, which somebody has locked. */
  async #renewOne(lease: Lease, milliseconds: number): Promise<Lease> {
    const { sql, statements, time } = this.#context;
    const name = storedName(lease.sessionId);
    const [row] = await sql.retried(statements.renewOne, time(), name, lease.fence, milliseconds);
    return row ? renewed(lease, row.lease_until) : this.lost(lease, "renewed");
  }

  async release(lease: Lease): Promise<void> {
    const { sql, statements } = this.#context;
    await this.#inOrder(lease.sessionId, async () => {
      await this.#appends.settled(lease);
      this.#appends.forget(lease);
      await sql.retried(statements.release, storedName(lease.sessionId), lease.fence);
    });
  }

  async remove(lease: Lease): Promise<void> {
    await this.#inOrder(lease.sessionId, async () => {
      await this.#appends.settled(lease);
      await this.#remove(lease);
    });
    this.#appends.forget(lease);
  }

  async #remove(lease: Lease): Promise<void> {
    const { sql, statements } = this.#context;
    const name = storedName(lease.sessionId);
    let wasSent = false;
    await sql.withRetries(async () => {
      try {
        const [gone] = await sql.run(statements.remove, name, lease.fence);
        if (gone) return;
      } catch (error) {
        wasSent ||= error instanceof ConnectionLost && error.wasSent;
        throw error;
      }
      const [head] = await sql.run(statements.head, name);
      // The answer to the removal was lost, and not the removal.
      if (!head && wasSent) return;
      checkNewest(newestLease(head), lease, "removed");
    });
  }

  /** The owner whose lease lasts, and whose process is not known to be gone. */
  async holder(sessionId: string): Promise<string | undefined> {
    const { sql, statements, time } = this.#context;
    const [row] = await sql.retried(statements.holder, time(), storedName(sessionId));
    if (!row || row.owner === null || !row.is_held) return undefined;
    const process = row.holder === null ? undefined : holderFromStored(row.holder);
    return process && isGone(process) ? undefined : nameFromStored(row.owner);
  }

  /** Throws LEASE_LOST unless the lease is the newest; `done` says what was not done then. */
  async checkNewest(lease: Lease, done: string): Promise<void> {
    const { sql, statements } = this.#context;
    const [head] = await sql.retried(statements.head, storedName(lease.sessionId));
    checkNewest(newestLease(head), lease, done);
  }

  /** Throws LEASE_LOST. */
  async lost(lease: Lease, done: string): Promise<never> {
    this.#appends.forget(lease);
    await this.checkNewest(lease, done);
    // Somebody else's statement was in between and the lease is ours still: the next call finds it so.
    throw new LedgerError(
      "LEASE_LOST",
      `${lease.owner} had lost the lease on session ${lease.sessionId}. Nothing was ${done}.`,
    );
  }

  drained(): Promise<void> {
    return this.#renewals.drained();
  }

  async #inOrder<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#newest.get(sessionId) ?? Promise.resolve();
    const result = before.then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#newest.set(sessionId, settled);
    try {
      return await result;
    } finally {
      if (this.#newest.get(sessionId) === settled) this.#newest.delete(sessionId);
    }
  }
}

const renewed = ({ sessionId, owner, fence }: Lease, expiresAt: number): Lease =>
  Object.freeze({ sessionId, owner, fence, expiresAt });

/** The same rule as in the statement `claim`. */
const isWithinReach = (place: string | null, own: string | null): boolean =>
  own === null || own === ANYWHERE || place === null || place === own || place === ANYWHERE;

function otherPlace(sessionId: string, place: string | null): LedgerError {
  return new LedgerError(
    "OTHER_PLACE",
    `The workspace of session ${sessionId} is at ${nameFromStored(place ?? "")}, which this server does not reach. Nothing was done; ask a server of that place.`,
  );
}
