/**
 * Writes that are committed together, in the order in which they came.
 *
 * What one turn of the event loop brings is committed at its end, in one transaction, or before that when one of them
 * cannot wait: what many write at a time costs one commit and not hundreds. What must stay true of a write: it checks
 * everything before it changes anything, so one that is refused has left nothing behind, and those beside it are
 * committed all the same. Any other error means that the database failed: then none is committed, and each is told.
 */
import { IllegalEvent, LedgerError } from "../../call/index.js";

type Transaction = (work: () => void, options: { readonly durable: boolean }) => void;

type CommitOptions = { readonly durable: boolean; readonly atOnce?: boolean | undefined };

type Write = {
  /** Does it, and returns what tells so once it is committed. */
  readonly attempt: () => () => void;
  readonly reject: (reason: unknown) => void;
};

export class GroupCommit {
  readonly #transaction: Transaction;
  #writes: Write[] = [];
  #timer: NodeJS.Immediate | undefined;
  /** Whether one of those that wait must survive a power cut. */
  #isDurable = false;
  #isUrgent = false;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  /**
   * The promise is kept when it is committed; with `durable` the whole group survives a power cut then. With `atOnce` it
   * is committed before the event loop goes on, with what was added until then.
   */
  add<Result>(write: () => Result, { durable, atOnce = false }: CommitOptions): Promise<Result> {
    this.#isDurable ||= durable;
    this.#timer ??= setImmediate(() => this.flush());
    if (atOnce && !this.#isUrgent) {
      this.#isUrgent = true;
      // Those who write on one beat add theirs before this runs.
      queueMicrotask(() => this.flush());
    }
    return new Promise((resolve, reject) => {
      const attemptIt = () => {
        const result = write();
        return () => resolve(result);
      };
      this.#writes.push({ attempt: attemptIt, reject });
    });
  }

  /** Commits what waits now. */
  flush(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    this.#isUrgent = false;
    const writes = this.#writes;
    if (writes.length === 0) return;
    const durable = this.#isDurable;
    this.#isDurable = false;
    this.#writes = [];
    try {
      let settle: readonly (() => void)[] = [];
      this.#transaction(
        () => {
          settle = writes.map(attempt);
        },
        { durable },
      );
      for (const tell of settle) tell();
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
