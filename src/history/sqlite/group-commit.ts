/**
 * Commits writes together, in the order in which they were added.
 *
 * The writes of one turn of the event loop are committed at its end, in one transaction, or earlier when one of them
 * cannot wait: many writers at a time cost one commit and not hundreds. While several write at a time, a commit waits
 * for further turns of the loop that add writes, at most MAX_WAIT_MS. Invariant: a write checks
 * everything before it changes anything, so a refused write changes nothing, and the writes beside it are committed.
 * Any other error means that the database failed: then none is committed, and each write rejects.
 */
import { IllegalEvent, LedgerError } from "../../call/index.js";

/** A sync of the disk takes about as long. */
const MAX_WAIT_MS = 4;

type TransactionOptions = { readonly durable: boolean; readonly onBusy?: (() => void) | undefined };
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
  #writes: Write[] = [];
  #timer: NodeJS.Immediate | undefined;
  /** Whether one of the waiting writes must survive a power cut. */
  #isDurable = false;
  #isUrgent = false;
  /** How many writes the last commit had, how many of the waiting ones an earlier turn has seen, and since when. */
  #lastSize = 0;
  #seen = 0;
  #seenAt = 0;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  /**
   * The promise resolves after the commit; with `durable` the whole group survives a power cut then. With `atOnce` the
   * group is committed before the event loop goes on, with all writes that were added until then.
   */
  add<Result>(write: () => Result, { durable, atOnce = false, onBusy }: CommitOptions): Promise<Result> {
    this.#isDurable ||= durable;
    this.#timer ??= setImmediate(this.#endTurn);
    if (atOnce && !this.#isUrgent) {
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

  /** Commits the waiting writes now. */
  flush(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
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
        { durable, onBusy: writes.length === 1 ? writes[0]?.onBusy : undefined },
      );
      for (const resolve of settle) resolve();
    } catch (thrown) {
      for (const { reject } of writes) reject(thrown);
    }
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
