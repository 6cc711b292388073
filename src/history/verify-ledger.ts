/**
 * Checks that the recorded events are those that were recorded: it makes the chain of every session anew
 * and compares. Reads only, a batch at a time, and waits for nobody who writes.
 *
 * What it cannot see: a file that was rewritten as a whole with a new chain, or from whose end something
 * was cut with the chain that was right before. Against these, keep `heads` elsewhere and hand them in.
 */
import { setImmediate } from "node:timers/promises";
import { chainStart, nextLink } from "./event-chain.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import type { LedgerTables } from "./sqlite-tables.js";
import { nameFromStored } from "./stored-json.js";

/** How far a session's chain had come: something to keep where the ledger's writer cannot reach it. */
export type ChainHead = { readonly sessionId: string; readonly seq: number; readonly link: string };

export type BrokenLink = {
  readonly sessionId: string;
  readonly seq: number;
  readonly problem: "changed" | "missing" | "added";
  readonly detail: string;
};

export type Verified = {
  readonly sessions: number;
  readonly events: number;
  /** Events from before there was a chain: nothing can be said of them. */
  readonly notCovered: number;
  /** The first `maxBroken` of them, in order. */
  readonly broken: readonly BrokenLink[];
  readonly brokenCount: number;
  readonly heads: readonly ChainHead[];
};

export type VerifyOptions = {
  readonly onProgress?: (progress: { readonly sessions: number; readonly events: number }) => void;
  /** Kept from an earlier time: each must still be part of its session's chain. */
  readonly heads?: readonly ChainHead[];
  readonly maxBroken?: number;
};

const BATCH = 1_000;

export async function verifyLedger(file: string, options: VerifyOptions = {}): Promise<Verified> {
  const { openLedgerToRead } = await import("./sqlite-file.js");
  const database = await openLedgerToRead(file);
  try {
    const verification = new Verification(database, options);
    await verification.run();
    return verification.result();
  } finally {
    database.close();
  }
}

type StoredSession = {
  readonly number: number;
  readonly session_id: string;
  readonly last_seq: number;
  readonly chain: string | null;
};

class Verification {
  readonly #database: SqliteDatabase<LedgerTables>;
  readonly #options: VerifyOptions;
  readonly #hasChain: boolean;
  readonly #expected: ReadonlyMap<string, readonly ChainHead[]>;
  readonly #seen = new Set<string>();
  readonly #broken: BrokenLink[] = [];
  readonly #heads: ChainHead[] = [];
  #brokenCount = 0;
  #sessions = 0;
  #events = 0;
  #notCovered = 0;

  constructor(database: SqliteDatabase<LedgerTables>, options: VerifyOptions) {
    this.#database = database;
    this.#options = options;
    // Version 1 had no chain, and a file that is only read is not brought up to date.
    this.#hasChain = Number(database.pragma("user_version")) >= 2;
    this.#expected = Map.groupBy ? Map.groupBy(options.heads ?? [], ({ sessionId }) => sessionId) : new Map();
  }

  async run(): Promise<void> {
    for (let after = 0; ;) {
      const sessions = this.#someSessions(after);
      const last = sessions.at(-1);
      if (!last) break;
      for (const session of sessions) await this.#verify(session);
      after = last.number;
    }
    for (const [sessionId, heads] of this.#expected) {
      if (this.#seen.has(sessionId)) continue;
      for (const { seq } of heads) this.#report(sessionId, seq, "missing", "the whole session is gone");
    }
  }

  result(): Verified {
    return {
      sessions: this.#sessions,
      events: this.#events,
      notCovered: this.#notCovered,
      broken: this.#broken,
      brokenCount: this.#brokenCount,
      heads: this.#heads,
    };
  }
}
