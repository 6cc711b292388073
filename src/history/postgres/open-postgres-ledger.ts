/**
 * The ledger on a PostgreSQL server, shared by any number of instances on any number of machines.
 *
 * Invariants: every check is part of the statement that writes, so no two instances can both succeed. Every commit is
 * durable before it is acknowledged, `durable` or not. The server's clock alone decides about leases. A lost connection
 * is retried for some seconds; a statement whose outcome is unknown is looked up before it is sent again.
 */
import type {
  Answer,
  AnswerReceipt,
  AppendOptions,
  ClaimOptions,
  Lease,
  Ledger,
  LedgerHealth,
  OpenQuestionsOptions,
  Question,
  ReadOptions,
  RecordedEvent,
  SessionEvent,
  SessionSnapshot,
  SessionSummary,
} from "../../call/index.js";
import { DEFAULT_READ_LIMIT, LedgerError } from "../../call/index.js";
import { snapshotSeal } from "../chain/hash-chain.js";
import { nameFromStored, storedEvent, storedName } from "../stored-json.js";
import { AppendQueue } from "./append-queue.js";
import { checkDurability } from "./check-durability.js";
import type { LedgerContext } from "./ledger-context.js";
import { ledgerStatements } from "./ledger-statements.js";
import { migrateTables, tableState } from "./migrate-tables.js";
import { postgresAddress } from "./postgres-address.js";
import { recordedRow, SessionFollowers } from "./session-followers.js";
import { SeenLeases } from "./seen-leases.js";
import { SessionLeases } from "./session-leases.js";
import { sessionWork } from "./session-work.js";
import { onlyReads } from "./server-errors.js";
import { SqlConnections } from "./sql-connections.js";
import { getBlob, putBlob } from "./stored-blobs.js";
import { openQuestions, storeAnswer } from "./stored-questions.js";

export type PostgresLedgerOptions = {
  /** A clock instead of the server's, for tests. */
  readonly now?: () => number;
  /** Makes no tables. */
  readonly readOnly?: boolean;
  /** Where the workspace of the sessions is: only instances with the same place continue them. */
  readonly place?: string;
  /** How long a server that cannot be reached is waited for; 15 seconds when left out. */
  readonly retryMs?: number;
};

export async function openPostgresLedger(
  address: string,
  { now, readOnly, place, retryMs }: PostgresLedgerOptions = {},
): Promise<Ledger> {
  const sql = await SqlConnections.open(postgresAddress(address), retryMs === undefined ? {} : { retryMs });
  try {
    const statements = ledgerStatements(sql.address.schema);
    if (readOnly) await tableState(sql);
    else await migrateTables(sql);
    await checkDurability({ sql, statements });
    const time = () => now?.() ?? null;
    return new PostgresLedger({ sql, statements, place, time, seenLeases: new SeenLeases() });
  } catch (error) {
    await sql.close();
    throw error;
  }
}

class PostgresLedger implements Ledger {
  readonly storesVerbatim = true;
  readonly #server: LedgerContext;
  readonly #followers: SessionFollowers;
  readonly #appends: AppendQueue;
  readonly #leases: SessionLeases;
  #isClosed = false;

  constructor(context: LedgerContext) {
    this.#server = context;
    this.#followers = new SessionFollowers(context);
    this.#appends = new AppendQueue(context, (sessionId) => this.#followers.wake(sessionId));
    this.#leases = new SessionLeases(context, this.#appends);
  }

  async claim(sessionId: string, owner: string, options: ClaimOptions): Promise<Lease> {
    this.#checkNotClosed();
    return this.#leases.claim(sessionId, owner, options);
  }

  async renew(lease: Lease, { milliseconds }: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    return this.#leases.renew(lease, milliseconds);
  }

  async release(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    await this.#leases.release(lease);
  }

  async remove(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    await this.#leases.remove(lease);
    this.#followers.wake(lease.sessionId);
  }

  async holder(sessionId: string): Promise<string | undefined> {
    this.#checkNotClosed();
    return this.#leases.holder(sessionId);
  }

  async append(
    lease: Lease,
    events: readonly SessionEvent[],
    { atOnce = false }: AppendOptions,
  ): Promise<number> {
    this.#checkNotClosed();
    // Events are serialized first, since the caller may change them later.
    const stored = events.map((event) => storedEvent(event, lease.sessionId));
    return this.#appends.append(lease, stored, atOnce);
  }

  async keepSnapshot(lease: Lease, { seq, saved }: SessionSnapshot): Promise<void> {
    const { sql, statements } = this.#context();
    const [at] = await sql.retried(statements.eventLink, storedName(lease.sessionId), seq);
    if (!at || at.chain === null) return this.#leases.checkNewest(lease, "kept");
    const seal = snapshotSeal(at.chain.toString("hex"), { seq, saved });
    const [kept] = await sql.retried(statements.keepSnapshot, at.session, lease.fence, seq, saved, seal);
    if (!kept) await this.#leases.lost(lease, "kept");
  }

  async snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    const { sql, statements } = this.#context();
    const [row] = await sql.retried(statements.snapshot, storedName(sessionId));
    if (!row || row.chain === null) return undefined;
    const { seq, saved } = row;
    return snapshotSeal(row.chain.toString("hex"), { seq, saved }) === row.seal ? { seq, saved } : undefined;
  }

  async has(sessionId: string): Promise<boolean> {
    const { sql, statements } = this.#context();
    return (await sql.retried(statements.has, storedName(sessionId))).length > 0;
  }

  async read(
    sessionId: string,
    { after = 0, type, limit = DEFAULT_READ_LIMIT }: ReadOptions = {},
  ): Promise<readonly RecordedEvent[]> {
    const { sql, statements } = this.#context();
    const name = storedName(sessionId);
    const rows =
      type === undefined
        ? await sql.retried(statements.events, name, after, limit)
        : await sql.retried(statements.eventsOfType, name, after, limit, type);
    return rows.map(recordedRow);
  }

  follow(
    sessionId: string,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<RecordedEvent> {
    this.#checkNotClosed();
    return this.#followers.follow(sessionId, after, signal);
  }

  watch(onChange: (sessionId: string | undefined) => void): () => void {
    this.#checkNotClosed();
    return this.#followers.watch(onChange);
  }

  async answer(questionId: string, answer: Answer): Promise<AnswerReceipt> {
    return storeAnswer(this.#context(), questionId, answer, (sessionId) =>
      this.#followers.wake(sessionId, { isAnswer: true }),
    );
  }

  async openQuestions(options: OpenQuestionsOptions = {}): Promise<readonly Question[]> {
    return openQuestions(this.#context(), options);
  }

  async *work({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<string> {
    const context = this.#context();
    const { place } = context;
    if (place === undefined) return;
    yield* sessionWork({
      context,
      followers: this.#followers,
      place,
      signal,
      isClosed: () => this.#isClosed,
    });
  }

  async health(): Promise<LedgerHealth> {
    const { sql, statements, time } = this.#context();
    const [row] = await sql.run(statements.health, time());
    if (row?.is_read_only) throw onlyReads(sql.address);
    return {
      waitingSessions: row?.waiting ?? 0,
      oldestWaitMs: row?.oldest_ms ?? 0,
      noticeLagMs: this.#followers.noticeLagMs,
    };
  }

  async sessions({
    before,
    limit = DEFAULT_READ_LIMIT,
  }: {
    readonly before?: SessionSummary;
    readonly limit?: number;
  } = {}): Promise<readonly SessionSummary[]> {
    const { sql, statements } = this.#context();
    const rows = before
      ? await sql.retried(
          statements.sessionsBefore,
          Math.floor(before.updatedAt / 60_000),
          before.updatedAt,
          storedName(before.sessionId),
          limit,
        )
      : await sql.retried(statements.newestSessions, limit);
    return rows.map((row) => ({
      sessionId: nameFromStored(row.session_id),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      lastSeq: row.last_seq,
    }));
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    return putBlob(this.#context(), bytes);
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return getBlob(this.#context(), hash);
  }

  /** Stores waiting appends, and ends the followers. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([this.#followers.end(), this.#appends.drained(), this.#leases.drained()]);
    await this.#followers.close();
    await this.#server.sql.close();
  }

  /** The server, while the ledger is open. */
  #context(): LedgerContext {
    this.#checkNotClosed();
    return this.#server;
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError(
      "LEDGER_CLOSED",
      "The ledger is closed. Nothing was read or written; open it again first.",
    );
  }
}
