/**
 * The ledger on a PostgreSQL server, shared by any number of instances on any number of machines.
 *
 * Invariants: every check is part of the statement that writes, so no two instances can both succeed. Every commit is
 * durable before it is acknowledged, `durable` or not. The server's clock alone decides about leases. A lost connection
 * is retried for some seconds; a statement whose outcome is unknown is looked up before it is sent again.
 */
import { createHash } from "node:crypto";
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
import { identityOf, isGone } from "../../process/process-identity.js";
import { chainStart, snapshotSeal } from "../chain/hash-chain.js";
import { FOLLOW_PAGE_LIMIT, followLog, IdleFollowers } from "../follow-log.js";
import type { LogPage, WakeUp } from "../follow-log.js";
import { LedgerFileError } from "../ledger-file-error.js";
import { checkNewest, heldElsewhere, holderFromStored } from "../lease-rules.js";
import { answerQuestion, noSuchQuestion } from "../question-state.js";
import {
  eventFromStored,
  frozenJson,
  nameFromStored,
  questionFromStored,
  storedEvent,
  storedName,
} from "../stored-json.js";
import { AppendQueue, newestLease } from "./append-queue.js";
import { BatchQueue } from "./batch-queue.js";
import { CommitNotices } from "./commit-notices.js";
import type { ClaimedRow, EventRow, LedgerStatements } from "./ledger-statements.js";
import { ANYWHERE, ledgerStatements } from "./ledger-statements.js";
import { migrateTables, tableState } from "./migrate-tables.js";
import { postgresAddress } from "./postgres-address.js";
import { ConnectionLost, SqlConnections } from "./sql-connections.js";

export type PostgresLedgerOptions = {
  /** A clock instead of the server's, for tests. */
  readonly now?: () => number;
  /** Makes no tables. */
  readonly readOnly?: boolean;
  /** Where the workspace of the sessions is: only instances with the same place go on with them. */
  readonly place?: string;
};

/** Renewals wait this long for others: leases last for seconds. */
const RENEW_TOGETHER_MS = 100;
const WORK_POLL_MS = 1_000;
/** A look after the end of a lease, not at it. */
const LEASE_END_MARGIN_MS = 10;
const MAX_WORK = 100;
/** Wakes those who look for work: no session has this name, since it is no stored one. */
const WORK = "\u0000work";
/** Larger blobs are stored in parts: both ends hold a part in memory, several times. */
const MAX_BLOB_PART_BYTES = 8 * 1024 * 1024;

export async function openPostgresLedger(
  address: string,
  options: PostgresLedgerOptions = {},
): Promise<Ledger> {
  const sql = await SqlConnections.open(postgresAddress(address));
  try {
    const statements = ledgerStatements(sql.address.schema);
    if (options.readOnly) await tableState(sql);
    else await migrateTables(sql);
    await checkDurability(sql, statements);
    return new PostgresLedger(sql, statements, options);
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** Acknowledged events must survive, and names must come back as they were. */
async function checkDurability(sql: SqlConnections, statements: LedgerStatements): Promise<void> {
  const [row] = await sql.retried(statements.durability);
  const { shown } = sql.address;
  if (row?.encoding !== "UTF8")
    throw new LedgerFileError(
      "LEDGER_FAILED",
      `The database of ${shown} has the encoding ${row?.encoding ?? "unknown"}. Nothing was opened; make a database with the encoding UTF8.`,
    );
  if (row.synchronous_commit === "off" || row.synchronous_commit === "local")
    throw new LedgerFileError(
      "LEDGER_FAILED",
      `The server of ${shown} acknowledges before events are safe (synchronous_commit = ${row.synchronous_commit}). Nothing was opened; run: alter role … set synchronous_commit = on.`,
    );
}

type Renewal = {
  readonly lease: Lease;
  readonly milliseconds: number;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
};

type Look = {
  readonly sessionId: string;
  readonly after: number;
  readonly resolve: (page: LogPage | undefined) => void;
  readonly reject: (error: unknown) => void;
};

class PostgresLedger implements Ledger {
  readonly storesVerbatim = true;
  readonly #sql: SqlConnections;
  readonly #statements: LedgerStatements;
  readonly #time: () => number | null;
  readonly #appends: AppendQueue;
  readonly #renewals = new BatchQueue<Renewal>((items) => this.#renewAll(items), RENEW_TOGETHER_MS);
  readonly #looks = new BatchQueue<Look>((items) => this.#lookAll(items));
  readonly #followers = new IdleFollowers();
  /** How many follow each session. */
  readonly #followed = new Map<string, number>();
  readonly #notices: CommitNotices;
  readonly #watchers = new Set<(sessionId: string | undefined) => void>();
  readonly #leaseWork = new Map<string, Promise<void>>();
  readonly #place: string | undefined;
  readonly #holder = JSON.stringify(identityOf(process.pid));
  #isClosed = false;

  constructor(sql: SqlConnections, statements: LedgerStatements, { now, place }: PostgresLedgerOptions) {
    this.#place = place;
    this.#sql = sql;
    this.#statements = statements;
    this.#time = () => now?.() ?? null;
    this.#appends = new AppendQueue({
      sql,
      statements,
      time: this.#time,
      onStored: (sessionId) => this.#wake(sessionId),
    });
    this.#notices = new CommitNotices({
      sql,
      statements,
      followers: this.#followers,
      followed: () => [...this.#followed.keys()],
      onAnswer: () => this.#followers.wake(WORK),
      onChange: (sessionId) => this.#changed(sessionId),
    });
  }

  async claim(sessionId: string, owner: string, options: ClaimOptions): Promise<Lease> {
    this.#checkNotClosed();
    return this.#inOrder(sessionId, () => this.#claim(sessionId, owner, options));
  }

  async #claim(sessionId: string, owner: string, options: ClaimOptions): Promise<Lease> {
    const { claim, begin, head } = this.#statements;
    const name = storedName(sessionId);
    const own = this.#place === undefined ? null : storedName(this.#place);
    const place = options.isAnywhere ? ANYWHERE : own;
    const values = [name, storedName(owner), options.milliseconds, this.#holder, place] as const;
    let goneFence: number | null = null;
    for (;;) {
      const [claimed] = await this.#sql.retried(claim, this.#time(), ...values, goneFence);
      if (claimed) return this.#leased(sessionId, owner, claimed);
      const [held] = await this.#sql.retried(head, name);
      if (!held) {
        const [started] = await this.#sql.retried(begin, this.#time(), ...values);
        if (started) return this.#leased(sessionId, owner, started);
        continue;
      }
      if (!isWithinReach(held.place, place)) throw otherPlace(sessionId, held.place);
      const newest = newestLease(held);
      if (!newest) continue;
      const holder = held.holder === null ? undefined : holderFromStored(held.holder);
      if (newest.fence === goneFence || !holder || !isGone(holder)) throw heldElsewhere(newest);
      // Nobody renews it, and nobody can write with it.
      goneFence = newest.fence;
    }
  }

  #leased(sessionId: string, owner: string, row: ClaimedRow): Lease {
    this.#appends.learn(row.fence, row);
    return Object.freeze({ sessionId, owner, fence: row.fence, expiresAt: row.lease_until });
  }

  async renew(lease: Lease, { milliseconds }: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    return new Promise((resolve, reject) => this.#renewals.add({ lease, milliseconds, resolve, reject }));
  }

  /** One statement for all. */
  async #renewAll(items: readonly Renewal[]): Promise<void> {
    try {
      const rows = await this.#sql.retried(
        this.#statements.renew,
        this.#time(),
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
    const name = storedName(lease.sessionId);
    const { renewOne } = this.#statements;
    const [row] = await this.#sql.retried(renewOne, this.#time(), name, lease.fence, milliseconds);
    return row ? renewed(lease, row.lease_until) : this.#lost(lease, "renewed");
  }

  async release(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    await this.#inOrder(lease.sessionId, async () => {
      await this.#appends.settled(lease);
      this.#appends.forget(lease);
      await this.#sql.retried(this.#statements.release, storedName(lease.sessionId), lease.fence);
    });
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
    this.#checkNotClosed();
    const { eventLink, keepSnapshot } = this.#statements;
    const [at] = await this.#sql.retried(eventLink, storedName(lease.sessionId), seq);
    if (!at || at.chain === null) return this.#checkNewest(lease, "kept");
    const seal = snapshotSeal(at.chain.toString("hex"), { seq, saved });
    const [kept] = await this.#sql.retried(keepSnapshot, at.session, lease.fence, seq, saved, seal);
    if (!kept) await this.#lost(lease, "kept");
  }

  async snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    this.#checkNotClosed();
    const [row] = await this.#sql.retried(this.#statements.snapshot, storedName(sessionId));
    if (!row || row.chain === null) return undefined;
    const { seq, saved } = row;
    return snapshotSeal(row.chain.toString("hex"), { seq, saved }) === row.seal ? { seq, saved } : undefined;
  }

  async has(sessionId: string): Promise<boolean> {
    this.#checkNotClosed();
    return (await this.#sql.retried(this.#statements.has, storedName(sessionId))).length > 0;
  }

  async read(
    sessionId: string,
    { after = 0, type, limit = DEFAULT_READ_LIMIT }: ReadOptions = {},
  ): Promise<readonly RecordedEvent[]> {
    this.#checkNotClosed();
    const { events, eventsOfType } = this.#statements;
    const name = storedName(sessionId);
    const rows =
      type === undefined
        ? await this.#sql.retried(events, name, after, limit)
        : await this.#sql.retried(eventsOfType, name, after, limit, type);
    return rows.map(recorded);
  }

  follow(
    sessionId: string,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<RecordedEvent> {
    this.#checkNotClosed();
    const look = (seq: number) =>
      new Promise<LogPage | undefined>((resolve, reject) =>
        this.#looks.add({ sessionId, after: seq, resolve, reject }),
      );
    const listen = () => this.#listen(sessionId, signal);
    return followLog({ look, listen, isOver: () => signal.aborted || this.#isClosed }, after);
  }

  /** One statement for the followers that look at the same time. */
  async #lookAll(items: readonly Look[]): Promise<void> {
    try {
      const rows = await this.#sql.retried(
        this.#statements.look,
        items.map((_, place) => place),
        items.map(({ sessionId }) => storedName(sessionId)),
        items.map(({ after }) => after),
        FOLLOW_PAGE_LIMIT,
      );
      const pages = new Map<number, { log: number; events: RecordedEvent[] }>();
      for (const { place, session, seq, event } of rows) {
        const page = pages.get(place) ?? { log: session, events: [] };
        if (seq !== null && event !== null) page.events.push(recorded({ seq, event }));
        pages.set(place, page);
      }
      for (const [place, { resolve }] of items.entries()) resolve(pages.get(place));
    } catch (error) {
      for (const { resolve, reject } of items) {
        // Closing ends the followers.
        if (this.#isClosed) resolve(undefined);
        else reject(error);
      }
    }
  }

  async answer(questionId: string, answer: Answer): Promise<AnswerReceipt> {
    this.#checkNotClosed();
    const copy = frozenJson(answer, `Question ${questionId}`, "question-answered");
    const name = storedName(questionId);
    const { question, answer: settle } = this.#statements;
    /** Our event, when the connection was lost after it was sent. */
    let sent: string | undefined;
    return this.#sql.withRetries(async () => {
      for (;;) {
        const [row] = await this.#sql.run(question, this.#time(), name);
        const asked = row && questionFromStored(questionId, row);
        if (row && sent !== undefined && row.settled === sent) return { counted: true, answer: copy };
        const at = row?.now ?? 0;
        const { receipt, sessionId, event } = answerQuestion(asked, { questionId, answer: copy, at });
        if (!event) return receipt;
        const { text } = storedEvent(event, sessionId);
        try {
          const start = chainStart(sessionId);
          const [done] = await this.#sql.run(settle, this.#time(), name, text, start);
          if (!done) continue;
        } catch (error) {
          if (error instanceof ConnectionLost) sent = text;
          throw error;
        }
        this.#wake(sessionId, { isAnswer: true });
        this.#followers.wake(WORK);
        return receipt;
      }
    });
  }

  /** Looks when a question was answered anywhere, when a lease on such a session ends, and each second. */
  async *work({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<string> {
    this.#checkNotClosed();
    const place = this.#place;
    if (place === undefined) return;
    this.#notices.start();
    while (!signal.aborted && !this.#isClosed) {
      const { woken, stop } = this.#followers.listen(WORK, signal);
      let timer = setTimeout(stop, WORK_POLL_MS).unref();
      try {
        // A server that cannot be reached now is asked again at the next look.
        const rows = await this.#sql
          .run(this.#statements.work, this.#time(), storedName(place), MAX_WORK)
          .catch(() => []);
        const nextEndMs = Math.min(WORK_POLL_MS, ...rows.map(({ left_ms }) => left_ms || WORK_POLL_MS));
        if (nextEndMs < WORK_POLL_MS) {
          clearTimeout(timer);
          timer = setTimeout(stop, nextEndMs + LEASE_END_MARGIN_MS).unref();
        }
        for (const { session_id, left_ms, holder } of rows) {
          const process = holder === null ? undefined : holderFromStored(holder);
          if (left_ms > 0 && !(process && isGone(process))) continue;
          if (signal.aborted || this.#isClosed) return;
          yield nameFromStored(session_id);
        }
        await woken;
      } finally {
        clearTimeout(timer);
        stop();
      }
    }
  }

  /** Calls back without a session each second too, since a notification may be lost. */
  watch(onChange: (sessionId: string | undefined) => void): () => void {
    this.#checkNotClosed();
    this.#notices.start();
    this.#watchers.add(onChange);
    const timer = setInterval(() => onChange(undefined), WORK_POLL_MS).unref();
    return () => {
      clearInterval(timer);
      this.#watchers.delete(onChange);
    };
  }

  #changed(sessionId: string | undefined): void {
    for (const onChange of this.#watchers) onChange(sessionId);
  }

  async holder(sessionId: string): Promise<string | undefined> {
    this.#checkNotClosed();
    const [row] = await this.#sql.retried(this.#statements.holder, this.#time(), storedName(sessionId));
    if (!row || row.owner === null || !row.is_held) return undefined;
    const process = row.holder === null ? undefined : holderFromStored(row.holder);
    return process && isGone(process) ? undefined : nameFromStored(row.owner);
  }

  async health(): Promise<LedgerHealth> {
    this.#checkNotClosed();
    const [row] = await this.#sql.run(this.#statements.health, this.#time());
    return {
      waitingSessions: row?.waiting ?? 0,
      oldestWaitMs: row?.oldest_ms ?? 0,
      noticeLagMs: this.#notices.lagMs,
    };
  }

  async openQuestions({ sessionId, after, limit = DEFAULT_READ_LIMIT }: OpenQuestionsOptions = {}): Promise<
    readonly Question[]
  > {
    this.#checkNotClosed();
    const { openQuestions, openQuestionsOf } = this.#statements;
    const found: Question[] = [];
    for (let from = after === undefined ? 0 : await this.#questionNumber(after); found.length < limit;) {
      const rows =
        sessionId === undefined
          ? await this.#sql.retried(openQuestions, from, limit)
          : await this.#sql.retried(openQuestionsOf, storedName(sessionId), from, limit);
      for (const row of rows) {
        const { event } = recorded(row);
        // A damaged row is left out, and the page is filled from those after it.
        if (event.type === "question-asked") found.push(event.question);
      }
      const last = rows.at(-1);
      if (!last || rows.length < limit) break;
      from = last.number;
    }
    return found.slice(0, limit);
  }

  async sessions({
    before,
    limit = DEFAULT_READ_LIMIT,
  }: {
    readonly before?: SessionSummary;
    readonly limit?: number;
  } = {}): Promise<readonly SessionSummary[]> {
    this.#checkNotClosed();
    const { newestSessions, sessionsBefore } = this.#statements;
    const rows = before
      ? await this.#sql.retried(
          sessionsBefore,
          Math.floor(before.updatedAt / 60_000),
          before.updatedAt,
          storedName(before.sessionId),
          limit,
        )
      : await this.#sql.retried(newestSessions, limit);
    return rows.map((row) => ({
      sessionId: nameFromStored(row.session_id),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      lastSeq: row.last_seq,
    }));
  }

  async remove(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    await this.#inOrder(lease.sessionId, async () => {
      await this.#appends.settled(lease);
      await this.#remove(lease);
    });
    this.#appends.forget(lease);
    this.#wake(lease.sessionId);
  }

  async #remove(lease: Lease): Promise<void> {
    const name = storedName(lease.sessionId);
    let wasSent = false;
    await this.#sql.withRetries(async () => {
      try {
        const [gone] = await this.#sql.run(this.#statements.remove, name, lease.fence);
        if (gone) return;
      } catch (error) {
        wasSent ||= error instanceof ConnectionLost;
        throw error;
      }
      const [head] = await this.#sql.run(this.#statements.head, name);
      // The answer to the removal was lost, and not the removal.
      if (!head && wasSent) return;
      checkNewest(newestLease(head), lease, "removed");
    });
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    this.#checkNotClosed();
    // A copy: the caller may change the bytes before they are written.
    const copy = Buffer.from(bytes);
    const hash = createHash("sha256").update(copy).digest();
    const parts = Math.max(1, Math.ceil(copy.length / MAX_BLOB_PART_BYTES));
    // The first part is stored last: a reader that finds it finds all of them.
    for (let part = parts - 1; part >= 0; part--) {
      const piece = copy.subarray(part * MAX_BLOB_PART_BYTES, (part + 1) * MAX_BLOB_PART_BYTES);
      await this.#sql.retried(this.#statements.putBlob, this.#time(), hash, part, parts, piece);
    }
    return hash.toString("hex");
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    this.#checkNotClosed();
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    const key = Buffer.from(hash, "hex");
    const [first] = await this.#sql.retried(this.#statements.blobPart, key, 0);
    if (!first) return undefined;
    const pieces = [first.bytes];
    for (let part = 1; part < first.parts; part++) {
      const [row] = await this.#sql.retried(this.#statements.blobPart, key, part);
      if (!row) return undefined;
      pieces.push(row.bytes);
    }
    return new Uint8Array(Buffer.concat(pieces));
  }

  /** Stores waiting appends, and ends the followers, also those with unread events. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#followers.wakeAll();
    await Promise.all([this.#appends.drained(), this.#renewals.drained(), this.#looks.drained()]);
    await this.#notices.flush();
    await this.#notices.close();
    await this.#sql.close();
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError(
      "LEDGER_CLOSED",
      "The ledger is closed. Nothing was read or written; open it again first.",
    );
  }

  async #checkNewest(lease: Lease, done: string): Promise<void> {
    const [head] = await this.#sql.retried(this.#statements.head, storedName(lease.sessionId));
    checkNewest(newestLease(head), lease, done);
  }

  /** Throws LEASE_LOST. */
  async #lost(lease: Lease, done: string): Promise<never> {
    this.#appends.forget(lease);
    await this.#checkNewest(lease, done);
    // Somebody else's statement was in between and the lease is ours still: the next call finds it so.
    throw new LedgerError(
      "LEASE_LOST",
      `${lease.owner} had lost the lease on session ${lease.sessionId}. Nothing was ${done}.`,
    );
  }

  async #questionNumber(questionId: string): Promise<number> {
    const [row] = await this.#sql.retried(this.#statements.questionNumber, storedName(questionId));
    if (!row) throw noSuchQuestion(questionId);
    return row.number;
  }

  /** The claims, releases and removals of one session run in the order of their calls. */
  async #inOrder<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#leaseWork.get(sessionId) ?? Promise.resolve();
    const result = before.then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#leaseWork.set(sessionId, settled);
    try {
      return await result;
    } finally {
      if (this.#leaseWork.get(sessionId) === settled) this.#leaseWork.delete(sessionId);
    }
  }

  #wake(sessionId: string, options: { readonly isAnswer?: boolean } = {}): void {
    this.#followers.wake(sessionId);
    this.#changed(sessionId);
    this.#notices.send(sessionId, options);
  }

  #listen(sessionId: string, signal: AbortSignal): WakeUp {
    const { woken, stop } = this.#followers.listen(sessionId, signal);
    this.#followed.set(sessionId, (this.#followed.get(sessionId) ?? 0) + 1);
    this.#notices.start();
    let isStopped = false;
    const stopBoth = () => {
      stop();
      if (isStopped) return;
      isStopped = true;
      const count = (this.#followed.get(sessionId) ?? 1) - 1;
      if (count > 0) this.#followed.set(sessionId, count);
      else this.#followed.delete(sessionId);
    };
    return { woken, stop: stopBoth };
  }
}

const renewed = ({ sessionId, owner, fence }: Lease, expiresAt: number): Lease =>
  Object.freeze({ sessionId, owner, fence, expiresAt });

/** As the statement `claim` decides. */
const isWithinReach = (place: string | null, own: string | null): boolean =>
  own === null || own === ANYWHERE || place === null || place === own || place === ANYWHERE;

function otherPlace(sessionId: string, place: string | null): LedgerError {
  return new LedgerError(
    "OTHER_PLACE",
    `The workspace of session ${sessionId} is at ${nameFromStored(place ?? "")}, which this server does not reach. Nothing was done; ask a server of that place.`,
  );
}

function recorded({ seq, event }: EventRow): RecordedEvent {
  return { seq, event: eventFromStored(event, seq) };
}
