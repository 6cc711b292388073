/**
 * The ledger in an SQLite file: the embedded default, shared by any number of processes of one machine.
 *
 * Invariants: every check runs in the transaction that writes, and that transaction holds the only lock, so no two
 * processes can both succeed. A durable append survives a power cut, everything else a crash of its process. One
 * handle's writes are committed in the order of its calls, most of them together with the others of the same turn of the
 * event loop. Claims are not synced to the disk: a power cut that loses one also ends the process that made it, and the
 * fence that it used goes with it.
 */
import { statSync } from "node:fs";
import type {
  Answer,
  AnswerReceipt,
  AppendOptions,
  Lease,
  Ledger,
  OpenQuestionsOptions,
  Question,
  ReadOptions,
  RecordedEvent,
  SessionEvent,
  SessionSnapshot,
  SessionSummary,
} from "../../call/index.js";
import { DEFAULT_READ_LIMIT, LedgerError } from "../../call/index.js";
import { blobHash } from "../chain/hash-chain.js";
import { FOLLOW_PAGE_LIMIT, followLog, IdleFollowers } from "../follow-log.js";
import type { WakeUp } from "../follow-log.js";
import { GroupCommit } from "./group-commit.js";
import { LedgerFileError } from "../ledger-file-error.js";
import { checkFree, checkNewest, holderOf } from "../lease-rules.js";
import type { StoredLease } from "../lease-rules.js";
import { answerQuestion, questionsAfter } from "../question-state.js";
import { BUSY_TIMEOUT_MS, damagedFile } from "./sqlite-database.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { SqliteRows } from "./sqlite-rows.js";
import { SqliteSnapshots } from "./sqlite-snapshots.js";
import type { StoredEvent } from "../stored-json.js";
import { frozenJson, storedEvent } from "../stored-json.js";

/** Opens the ledger in `file`, or creates it. SQLite itself is loaded here and not before. */
export async function openSqliteLedger(
  file: string,
  { now = Date.now, readOnly = false, onLockWait }: SqliteLedgerOptions = {},
): Promise<Ledger> {
  const { openLedgerFile, openLedgerToRead } = await import("./sqlite-file.js");
  return new SqliteLedger(await (readOnly ? openLedgerToRead(file) : openLedgerFile(file)), now, onLockWait);
}

export type SqliteLedgerOptions = {
  readonly now?: () => number;
  /** Changes nothing in the file; a write throws. */
  readonly readOnly?: boolean;
  /** Called when a write waits for another process that has the file locked, with a sentence for people. */
  readonly onLockWait?: (sentence: string) => void;
};

const DURABLE = { durable: true };
/** A finding of `probe` counts this long. */
const PROBE_MS = 1_000;
const QUICK = { durable: false };

export class SqliteLedger implements Ledger {
  readonly storesVerbatim = true;
  readonly #database: SqliteDatabase;
  readonly #now: () => number;
  readonly #rows: SqliteRows;
  readonly #snapshots: SqliteSnapshots;
  readonly #writes: GroupCommit;
  readonly #followers = new IdleFollowers();
  readonly #watch: CommitWatch;
  /** Fences of leases that could not be released, on a full disk: nobody uses them. */
  readonly #abandoned = new Set<number>();
  #probe: { readonly at: number; readonly done: Promise<void> } | undefined;
  #isClosed = false;

  constructor(database: SqliteDatabase, now: () => number, onLockWait?: (sentence: string) => void) {
    this.#database = database;
    this.#now = now;
    this.#rows = new SqliteRows(database);
    this.#snapshots = new SqliteSnapshots(database);
    const identity = new FileIdentity(database.file);
    this.#writes = new GroupCommit(
      (work, options) => {
        identity.check();
        this.#rows.transaction(work, options);
      },
      () =>
        onLockWait?.(
          `The ledger ${database.file} is locked: another process writes to it. Waiting up to ${BUSY_TIMEOUT_MS / 1_000} seconds for it.`,
        ),
    );
    this.#watch = new CommitWatch(
      () => database.pragma("data_version"),
      () => this.#followers.wakeAll(),
    );
  }

  async claim(sessionId: string, owner: string, options: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    // Refused without waiting for the lock.
    const onBusy = () => checkFree(this.#leaseInUse(sessionId), owner, this.#now());
    return this.#writes.add(
      () => {
        const now = this.#now();
        const before = this.#rows.newestLease(sessionId);
        checkFree(this.#leaseInUse(sessionId), owner, now);
        if (before) this.#rows.deleteLease(before);
        const lease = { sessionId, owner, expiresAt: now + options.milliseconds };
        return Object.freeze({ ...lease, fence: this.#rows.insertLease(lease, options.milliseconds) });
      },
      { ...QUICK, onBusy },
    );
  }

  async renew(lease: Lease, options: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    return this.#writes.add(() => {
      this.#checkNewest(lease, "renewed");
      const { sessionId, owner, fence } = lease;
      const renewed = { sessionId, owner, fence, expiresAt: this.#now() + options.milliseconds };
      this.#rows.extendLease(renewed, options.milliseconds);
      return Object.freeze(renewed);
    }, QUICK);
  }

  async release(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    try {
      await this.#writes.add(() => this.#rows.deleteLease(lease), QUICK);
    } catch (error) {
      this.#abandoned.add(lease.fence);
      throw error;
    }
  }

  #leaseInUse(sessionId: string): StoredLease | undefined {
    const lease = this.#rows.newestLease(sessionId);
    return lease && !this.#abandoned.has(lease.fence) ? lease : undefined;
  }

  async append(
    lease: Lease,
    events: readonly SessionEvent[],
    { durable, atOnce }: AppendOptions,
  ): Promise<number> {
    this.#checkNotClosed();
    const { sessionId } = lease;
    // Events are serialized first, since the caller may change them later.
    const stored = events.map((event) => storedEvent(event, sessionId));
    const write = () => {
      this.#checkNewest(lease, "appended");
      return this.#record(sessionId, stored);
    };
    const seq = await this.#writes.add(write, { durable, atOnce });
    this.#followers.wake(sessionId);
    return seq;
  }

  async keepSnapshot(lease: Lease, snapshot: SessionSnapshot): Promise<void> {
    this.#checkNotClosed();
    return this.#writes.add(() => {
      this.#checkNewest(lease, "kept");
      this.#snapshots.keep(lease.sessionId, snapshot);
    }, QUICK);
  }

  async snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    this.#checkNotClosed();
    return this.#snapshots.find(sessionId);
  }

  async has(sessionId: string): Promise<boolean> {
    this.#checkNotClosed();
    return this.#rows.has(sessionId);
  }

  async read(
    sessionId: string,
    { after = 0, type, limit = DEFAULT_READ_LIMIT }: ReadOptions = {},
  ): Promise<readonly RecordedEvent[]> {
    this.#checkNotClosed();
    return type === undefined
      ? this.#rows.events(sessionId, { after, limit })
      : this.#rows.eventsOfType(sessionId, { after, limit, type });
  }

  follow(
    sessionId: string,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<RecordedEvent> {
    this.#checkNotClosed();
    const readAfter = async (seq: number) =>
      this.#rows.logPage(sessionId, { after: seq, limit: FOLLOW_PAGE_LIMIT });
    const listen = () => this.#listen(sessionId, signal);
    return followLog({ readAfter, listen, isOver: () => signal.aborted || this.#isClosed }, after);
  }

  watch(onChange: (sessionId: string | undefined) => void): () => void {
    this.#checkNotClosed();
    const stop = this.#followers.watch(onChange);
    this.#watch.start();
    return () => {
      stop();
      if (this.#followers.isEmpty) this.#watch.stop();
    };
  }

  async holder(sessionId: string): Promise<string | undefined> {
    this.#checkNotClosed();
    return holderOf(this.#leaseInUse(sessionId), this.#now());
  }

  async answer(questionId: string, answer: Answer): Promise<AnswerReceipt> {
    this.#checkNotClosed();
    const copy = frozenJson(answer, `Question ${questionId}`, "question-answered");
    const { receipt, sessionId } = await this.#writes.add(() => {
      const given = { questionId, answer: copy, at: this.#now() };
      const answered = answerQuestion(this.#rows.question(questionId), given);
      if (answered.event) this.#record(answered.sessionId, [storedEvent(answered.event, answered.sessionId)]);
      return answered;
    }, DURABLE);
    this.#followers.wake(sessionId);
    return receipt;
  }

  async openQuestions({ limit = DEFAULT_READ_LIMIT, ...options }: OpenQuestionsOptions = {}): Promise<
    readonly Question[]
  > {
    this.#checkNotClosed();
    return this.#rows.openQuestions({ limit, ...options });
  }

  async sessions({
    limit = DEFAULT_READ_LIMIT,
    ...options
  }: {
    readonly before?: SessionSummary;
    readonly limit?: number;
  } = {}): Promise<readonly SessionSummary[]> {
    this.#checkNotClosed();
    return this.#rows.sessions({ limit, ...options });
  }

  async remove(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    await this.#writes.add(() => {
      this.#checkNewest(lease, "removed");
      this.#rows.deleteLease(lease);
      this.#rows.deleteSession(lease.sessionId);
    }, DURABLE);
    this.#followers.wake(lease.sessionId);
  }

  async probe(): Promise<void> {
    this.#checkNotClosed();
    const now = performance.now();
    // Anyone may ask a server whether it is ready, and each probe writes a page.
    if (!this.#probe || now - this.#probe.at > PROBE_MS)
      this.#probe = { at: now, done: this.#writes.add(() => this.#rows.touch(), QUICK) };
    return this.#probe.done;
  }

  /** A blob becomes durable with the next durable append, so before any event that refers to it. */
  async putBlob(bytes: Uint8Array): Promise<string> {
    this.#checkNotClosed();
    const hash = blobHash(bytes);
    // A copy: the caller may change the bytes before they are written.
    const copy = new Uint8Array(bytes);
    await this.#writes.add(() => this.#rows.insertBlob(hash, copy, this.#now()), QUICK);
    return hash;
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    this.#checkNotClosed();
    const bytes = this.#rows.blob(hash);
    if (bytes && blobHash(bytes) !== hash)
      throw damagedFile(this.#database.file, `kept file ${hash.slice(0, 12)} is not what was stored`);
    return bytes;
  }

  /** Commits waiting writes, and ends the followers, also those with unread events. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writes.end();
    this.#watch.stop();
    this.#followers.wakeAll();
    try {
      this.#database.emptyLog();
    } catch {
      // On a disk that is full or cannot be written, the log stays beside the file: nothing is lost.
    }
    this.#database.close();
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError(
      "LEDGER_CLOSED",
      "The ledger is closed. Nothing was read or written; open it again first.",
    );
  }

  #checkNewest(lease: Lease, done: string): void {
    if (this.#rows.isNewest(lease)) return;
    checkNewest(this.#rows.newestLease(lease.sessionId), lease, done);
  }

  /** Inserts all of the events or none, and returns the last `seq`. */
  #record(sessionId: string, events: readonly StoredEvent[]): number {
    const aboutQuestions = events.flatMap(({ question }) => question ?? []);
    questionsAfter(aboutQuestions, sessionId, (questionId) => this.#rows.question(questionId));
    if (events.length === 0) return this.#rows.lastSeq(sessionId);
    return this.#rows.insertEvents(sessionId, events, this.#now());
  }

  /** Other processes cannot wake followers here, so the file is polled for their commits while someone listens. */
  #listen(sessionId: string, signal: AbortSignal): WakeUp {
    const { woken, stop } = this.#followers.listen(sessionId, signal);
    this.#watch.start();
    const stopBoth = () => {
      stop();
      if (this.#followers.isEmpty) this.#watch.stop();
    };
    return { woken, stop: stopBoth };
  }
}

const POLL_MS = 25;

/**
 * Polls for commits of other connections: each commit changes the database's data version. Polls only while a follower
 * listens, and does not keep the process alive.
 */
class CommitWatch {
  readonly #version: () => unknown;
  readonly #onCommit: () => void;
  // Kept while nobody listens: a commit before the next follower listens costs one poll too many, never one too few.
  #seen: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(version: () => unknown, onCommit: () => void) {
    this.#version = version;
    this.#onCommit = onCommit;
    this.#seen = version();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    const version = this.#currentVersion();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#onCommit();
  }

  /** When the database fails, the followers are woken to look, and get the error where they can handle it. */
  #currentVersion(): unknown {
    try {
      return this.#version();
    } catch (thrown) {
      return thrown;
    }
  }
}

/** A check costs microseconds, and a commit not much more. */
const RECHECK_MS = 50;

/**
 * Notices that the path of an open ledger has another file or none: what is written to a file without a name is lost
 * with its process, and nobody else sees it.
 */
class FileIdentity {
  readonly #file: string;
  readonly #identity: string | undefined;
  #checkedAt = -Infinity;

  constructor(file: string) {
    this.#file = file;
    this.#identity = identityAt(file);
  }

  check(): void {
    const now = performance.now();
    if (now - this.#checkedAt < RECHECK_MS) return;
    if (identityAt(this.#file) !== this.#identity)
      throw new LedgerFileError(
        "LEDGER_GONE",
        `The ledger ${this.#file} was deleted, moved or replaced while it was open. Nothing was written; put it back, or start this process again.`,
        { file: this.#file },
      );
    this.#checkedAt = now;
  }
}

function identityAt(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev} ${stats.ino}`;
}
