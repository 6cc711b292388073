/** The lease on a session: claimed when the session is opened, renewed while it is open, released when it is closed. */
import { LedgerError } from "../call/index.js";
import type { Lease, Ledger } from "../call/index.js";
import type { LedgerErrorCode } from "../call/ledger.js";

/** Long enough for a busy process to renew in time, short enough to take over a dead process's session soon. */
const LEASE_MS = 5_000;
const CLAIM_RETRY_MS = 100;
/** A wait that is over sooner is not reported. */
const REPORT_WAIT_AFTER_MS = 500;

const endsLease = (code: LedgerErrorCode): boolean =>
  code === "LEASE_LOST" || code === "LOG_BEHIND" || code === "APPEND_UNKNOWN";

export type LeaseWait = {
  /** How long to wait for a lease that another owner has. The lease of a process that is gone is not waited for. */
  readonly leaseWaitMs?: number | undefined;
  /** Called once during a wait, with a sentence for people about who has the session. */
  readonly onLeaseWait?: ((sentence: string) => void) | undefined;
};

export type LeaseOptions = LeaseWait & {
  readonly owner: string;
  /** How long the lease lasts without a renewal. */
  readonly leaseMs?: number | undefined;
  /** No tool of the session needs a workspace: every instance may continue it. */
  readonly isAnywhere?: boolean | undefined;
};

function waitSentence(sessionId: string, { owner }: LedgerError, leaseWaitMs: number): string {
  const who = owner === undefined ? "" : ` (${owner})`;
  const seconds = Math.ceil(leaseWaitMs / 1000);
  return `Session ${sessionId} is open in another process${who}; waiting for it, up to ${seconds} s …`;
}

export class SessionLease {
  readonly #ledger: Ledger;
  readonly #leaseMs: number;
  readonly #renewal: NodeJS.Timeout;
  readonly #lost = new AbortController();
  /** Ends what runs while the lease is held. */
  readonly #held = new Set<AbortController>();
  #newest: Lease;
  /** Kept beside the signal: reading `aborted` is slow, and this is read for every piece of text. */
  #state: "held" | "ending" | "lost" = "held";

  private constructor(ledger: Ledger, lease: Lease, leaseMs: number) {
    this.#ledger = ledger;
    this.#newest = lease;
    this.#leaseMs = leaseMs;
    this.#renewal = setInterval(() => void this.#renew().catch(() => undefined), leaseMs / 3).unref();
  }

  /** Throws LEASE_HELD when another owner still has the lease after `leaseWaitMs`. */
  static async claim(ledger: Ledger, sessionId: string, options: LeaseOptions): Promise<SessionLease> {
    const { owner, leaseMs = LEASE_MS, leaseWaitMs = 0, isAnywhere } = options;
    let { onLeaseWait } = options;
    // By a clock that nobody sets.
    const start = performance.now();
    for (;;) {
      try {
        const lease = await ledger.claim(sessionId, owner, { milliseconds: leaseMs, isAnywhere });
        return new SessionLease(ledger, lease, leaseMs);
      } catch (error) {
        const waitedMs = performance.now() - start;
        const isHeld = error instanceof LedgerError && error.code === "LEASE_HELD";
        if (!isHeld || waitedMs >= leaseWaitMs) throw error;
        if (waitedMs >= REPORT_WAIT_AFTER_MS) {
          onLeaseWait?.(waitSentence(sessionId, error, leaseWaitMs));
          onLeaseWait = undefined;
        }
        await new Promise((resolve) => setTimeout(resolve, CLAIM_RETRY_MS));
      }
    }
  }

  get newest(): Lease {
    return this.#newest;
  }

  get isHeld(): boolean {
    return this.#state === "held";
  }

  /** Aborts when another owner has claimed the session. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * A signal that aborts with the given one and when the lease is lost, until `letGo` is called. AbortSignal.any would
   * not do: a session outlives its turns, and `lost` would keep a trace of each of them.
   */
  whileHeld(signal: AbortSignal): { readonly signal: AbortSignal; readonly letGo: () => void } {
    const { lost } = this;
    const linked = new AbortController();
    const onAbort = () => linked.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#held.add(linked);
    if (signal.aborted) onAbort();
    else if (lost.aborted) linked.abort(lost.reason);
    return {
      signal: linked.signal,
      letGo: () => {
        signal.removeEventListener("abort", onAbort);
        this.#held.delete(linked);
      },
    };
  }

  /**
   * Remembers that the lease is lost when the ledger says so; a busy disk says nothing about it. A store that lost
   * acknowledged events, or was lost itself during an append, ends the work too: the log is not what this process knows.
   */
  noteError(error: unknown): void {
    if (!this.isHeld || !(error instanceof LedgerError)) return;
    if (!endsLease(error.code)) return;
    clearInterval(this.#renewal);
    this.#state = "lost";
    this.#lost.abort(error);
    for (const linked of this.#held) linked.abort(error);
  }

  /** Throws the ledger's error when another owner has claimed the session. */
  async confirm(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      if (error instanceof LedgerError && endsLease(error.code)) throw error;
    }
  }

  /** Ends the renewals. The lease can still be used until `release`. */
  end(): void {
    clearInterval(this.#renewal);
    if (this.isHeld) this.#state = "ending";
  }

  async release(): Promise<void> {
    try {
      await this.#ledger.release(this.#newest);
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      // The disk may be full. The lease expires by itself, and a ledger that is still open gives it away before that.
    }
  }

  async #renew(): Promise<void> {
    try {
      this.#newest = await this.#ledger.renew(this.#newest, { milliseconds: this.#leaseMs });
    } catch (error) {
      this.noteError(error);
      throw error;
    }
  }
}
