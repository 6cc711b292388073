/**
 * Commits writes together, in the order in which they were added.
 *
 * The writes of one turn of the event loop are committed at its end, in one transaction, or earlier when one of them
 * cannot wait: many writers at a time cost one commit and not hundreds. While several write at a time, a commit waits
 * for further turns of the loop that add writes, at most MAX_WAIT_MS. Invariant: a write checks
 * everything before it changes anything, so a refused write changes nothing, and the writes beside it are committed.
 * Any other error means that the database failed: then none is committed, and each write rejects. While another process
 * has the lock for longer than a write takes, the group waits for it beside the event loop, and later writes behind it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { IllegalEvent, LedgerError } from "../../call/index.js";
import { LedgerFileError } from "../ledger-file-error.js";
import { BUSY_TIMEOUT_MS } from "./sqlite-database.js";
import type { TransactionOptions } from "./sqlite-database.js";

/** A sync of the disk takes about as long. */
const MAX_WAIT_MS = 4;

/** Most locks are free by then, and a wait that blocks the event loop is not felt. */
const BLOCKING_WAIT_MS = 10;
const LOCK_RETRY_MS = 2;
/** A wait for the lock that is over sooner is not reported. */
const REPORT_WAIT_AFTER_MS = 500;

type Transaction = (work: () => void, options: TransactionOptions) => void;

type CommitOptions = {
  readonly durable: boolean;
  readonly atOnce?: boolean | undefined;
  /** Called while another process has the lock; throws when the write need not wait for it. */
  readonly onBusy?: () => void;
};

type Write = {
  /** Does the write, and returns the function that resolves its promise after the commit. */
  readonly attempt: () => () => void;
  readonly reject: (reason: unknown) => void;
  readonly onBusy: (() => void) | undefined;
};

export class GroupCommit {
  readonly #transaction: Transaction;
  readonly #onLockWait: () => void;
  #writes: Write[] = [];
  #timer: NodeJS.Immediate | undefined;
  /** Whether one of the waiting writes must survive a power cut. */
  #isDurable = false;
  #isUrgent = false;
  /** How many writes the last commit had, how many of the waiting ones an earlier turn has seen, and since when. */
  #lastSize = 0;
  #seen = 0;
  #seenAt = 0;
  /** Since when another process has the lock, and the next look whether it is free. */
  #lockedSince: number | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isWaitReported = false;

  /** `onLockWait`: called once for each longer wait for another process. */
  constructor(transaction: Transaction, onLockWait: () => void = () => undefined) {
    this.#transaction = transaction;
    this.#onLockWait = onLockWait;
  }

  /**
   * The promise resolves after the commit; with `durable` the whole group survives a power cut then. With `atOnce` the
   * group is committed before the event loop goes on, with all writes that were added until then.
   */
  add<Result>(write: () => Result, { durable, atOnce = false, onBusy }: CommitOptions): Promise<Result> {
    this.#isDurable ||= durable;
    if (!this.#retry) this.#timer ??= setImmediate(this.#endTurn);
    if (!this.#retry && atOnce && !this.#isUrgent) {
      this.#isUrgent = true;
      // Sessions that write in the same tick add their writes before this runs.
      queueMicrotask(() => this.flush());
    }
    return new Promise((resolve, reject) => {
      const attemptIt = () => {
        const result = write();
        return () => resolve(result);
      };
      this.#writes.push({ attempt: attemptIt, reject, onBusy });
    });
  }

  /** A writer that is alone never waits. */
  readonly #endTurn = (): void => {
    const { length } = this.#writes;
    const now = performance.now();
    if (this.#seen === 0) this.#seenAt = now;
    const isGrowing = length > this.#seen && now - this.#seenAt < MAX_WAIT_MS;
    if (!isGrowing || Math.max(length, this.#lastSize) === 1) return this.flush();
    this.#seen = length;
    this.#timer = setImmediate(this.#endTurn);
  };

  /** Returns when no write waits any more. */
  async end(): Promise<void> {
    this.flush();
    while (this.#retry) await sleep(LOCK_RETRY_MS);
  }

  /** Commits the waiting writes now, unless another process has the lock. */
  flush(): void {
    clearImmediate(this.#timer);
    clearTimeout(this.#retry);
    this.#timer = undefined;
    this.#retry = undefined;
    this.#isUrgent = false;
    const writes = this.#writes;
    this.#seen = 0;
    if (writes.length === 0) return;
    this.#lastSize = writes.length;
    const durable = this.#isDurable;
    this.#isDurable = false;
    this.#writes = [];
    try {
      let settle: readonly (() => void)[] = [];
      this.#transaction(
        () => {
          settle = writes.map(attempt);
        },
        // Writes beside it must wait for the lock.
        {
          durable,
          onBusy: writes.length === 1 ? writes[0]?.onBusy : undefined,
          busyMs: this.#lockedSince === undefined ? BLOCKING_WAIT_MS : 0,
        },
      );
      this.#lockedSince = undefined;
      for (const resolve of settle) resolve();
    } catch (thrown) {
      if (this.#isToWait(thrown)) return this.#waitForLock(writes, durable);
      this.#lockedSince = undefined;
      for (const { reject } of writes) reject(thrown);
    }
  }

  #isToWait(thrown: unknown): boolean {
    if (!(thrown instanceof LedgerFileError) || thrown.code !== "LEDGER_BUSY") return false;
    return this.#lockedSince === undefined || performance.now() - this.#lockedSince < BUSY_TIMEOUT_MS;
  }

  /** Writes that were added meanwhile come after these. */
  #waitForLock(writes: readonly Write[], durable: boolean): void {
    const now = performance.now();
    if (this.#lockedSince === undefined) this.#isWaitReported = false;
    this.#lockedSince ??= now;
    if (!this.#isWaitReported && now - this.#lockedSince > REPORT_WAIT_AFTER_MS) {
      this.#isWaitReported = true;
      this.#onLockWait();
    }
    this.#writes = [...writes, ...this.#writes];
    this.#isDurable ||= durable;
    this.#retry = setTimeout(() => this.flush(), LOCK_RETRY_MS);
  }
}

function attempt(write: Write): () => void {
  try {
    return write.attempt();
  } catch (thrown) {
    if (thrown instanceof LedgerError || thrown instanceof IllegalEvent) return () => write.reject(thrown);
    throw thrown;
  }
}
