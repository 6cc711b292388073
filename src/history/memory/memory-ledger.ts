/**
 * The ledger that lives as long as its process: for tests, and for scripts that want no file.
 *
 * Invariants: a change is checked as a whole before any of it is made, with no `await` in between, so calls
 * cannot interleave. Stored events are JSON copies, frozen at the first read, so that reads can share them: most events
 * are never read. There is no disk, so `durable` changes nothing, and a claim lasts as long as the ledger.
 */
import { createHash } from "node:crypto";
import { checkOptions, FUNCTION } from "../../call/check-options.js";
import type {
  Answer,
  AnswerReceipt,
  AskedQuestion,
  Lease,
  Ledger,
  OpenQuestionsOptions,
  Question,
  ReadOptions,
  RecordedEvent,
  SessionEvent,
  SessionSummary,
} from "../../call/index.js";
import { DEFAULT_READ_LIMIT, LedgerError } from "../../call/index.js";
import { FOLLOW_PAGE_LIMIT, followLog, IdleFollowers } from "../follow-log.js";
import { checkFree, checkNewest, holderOf, type StoredLease } from "../lease-rules.js";
import { answerQuestion, noSuchQuestion, questionsAfter } from "../question-state.js";
import { frozen, copiedJson, frozenJson } from "../stored-json.js";

export class MemoryLedger implements Ledger {
  readonly storesVerbatim = true;
  readonly #now: () => number;
  /** Only sessions that have events. */
  readonly #sessions = new Map<string, KeptSession>();
  /** A session's newest lease, until it is released. */
  readonly #leases = new Map<string, StoredLease>();
  #lastFence = 0;
  readonly #questions = new Map<string, AskedQuestion>();
  readonly #openQuestions = new Map<string, Question>();
  /** Counts all questions in the order in which they were asked, so that a page can start after a settled one. */
  readonly #questionNumbers = new Map<string, number>();
  #lastQuestion = 0;
  readonly #blobs = new Map<string, { readonly bytes: Uint8Array; readonly putAt: number }>();
  readonly #followers = new IdleFollowers();
  #isClosed = false;

  constructor(options: { readonly now?: () => number } = {}) {
    checkOptions("MemoryLedger", options, { now: FUNCTION });
    this.#now = options.now ?? Date.now;
  }

  async claim(sessionId: string, owner: string, options: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    const now = this.#now();
    checkFree(this.#leases.get(sessionId), owner, now);
    this.#lastFence += 1;
    return this.#storeLease({ sessionId, owner, fence: this.#lastFence }, now, options);
  }

  async renew(lease: Lease, options: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    checkNewest(this.#leases.get(lease.sessionId), lease, "renewed");
    const { sessionId, owner, fence } = lease;
    return this.#storeLease({ sessionId, owner, fence }, this.#now(), options);
  }

  async release({ sessionId, fence }: Lease): Promise<void> {
    this.#checkNotClosed();
    if (this.#leases.get(sessionId)?.fence === fence) this.#leases.delete(sessionId);
  }

  async append(
    lease: Lease,
    events: readonly SessionEvent[],
    _options: { readonly durable: boolean },
  ): Promise<number> {
    this.#checkNotClosed();
    const { sessionId } = lease;
    // Copied first: an event with a `toJSON` of its own runs foreign code, and the checks must come after that.
    const subject = `Session ${sessionId}`;
    const copies = events.map((event) => copiedJson(event, subject, event.type));
    checkNewest(this.#leases.get(sessionId), lease, "appended");
    return this.#record(sessionId, copies);
  }

  async has(sessionId: string): Promise<boolean> {
    this.#checkNotClosed();
    return this.#sessions.has(sessionId);
  }

  async read(
    sessionId: string,
    { after = 0, type, limit = DEFAULT_READ_LIMIT }: ReadOptions = {},
  ): Promise<readonly RecordedEvent[]> {
    this.#checkNotClosed();
    const log = this.#sessions.get(sessionId)?.log ?? [];
    const from = Math.max(0, after);
    if (type === undefined) return frozenPage(log.slice(from, from + limit));
    return frozenPage(
      log
        .slice(from)
        .filter(({ event }) => event.type === type)
        .slice(0, limit),
    );
  }

  follow(
    sessionId: string,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<RecordedEvent> {
    this.#checkNotClosed();
    const readAfter = async (seq: number) => {
      const log = this.#sessions.get(sessionId)?.log;
      return log && { log, events: frozenPage(log.slice(seq, seq + FOLLOW_PAGE_LIMIT)) };
    };
    const listen = () => this.#followers.listen(sessionId, signal);
    return followLog({ readAfter, listen, isOver: () => signal.aborted || this.#isClosed }, after);
  }

  watch(onChange: (sessionId: string | undefined) => void): () => void {
    this.#checkNotClosed();
    return this.#followers.watch(onChange);
  }

  async holder(sessionId: string): Promise<string | undefined> {
    this.#checkNotClosed();
    return holderOf(this.#leases.get(sessionId), this.#now());
  }

  async answer(questionId: string, answer: Answer): Promise<AnswerReceipt> {
    this.#checkNotClosed();
    const copy = frozenJson(answer, `Question ${questionId}`, "question-answered");
    const given = { questionId, answer: copy, at: this.#now() };
    const { receipt, sessionId, event } = answerQuestion(this.#questions.get(questionId), given);
    if (event) this.#record(sessionId, [event]);
    return frozen(receipt);
  }

  async openQuestions({ sessionId, after, limit = DEFAULT_READ_LIMIT }: OpenQuestionsOptions = {}): Promise<
    readonly Question[]
  > {
    this.#checkNotClosed();
    const from = after === undefined ? 0 : this.#questionNumbers.get(after);
    if (from === undefined) throw noSuchQuestion(after ?? "");
    return [...this.#openQuestions.values()]
      .filter((question) => sessionId === undefined || question.sessionId === sessionId)
      .filter(({ questionId }) => (this.#questionNumbers.get(questionId) ?? 0) > from)
      .slice(0, limit)
      .map((question) => frozen(question));
  }

  async sessions({
    before,
    limit = DEFAULT_READ_LIMIT,
  }: {
    readonly before?: SessionSummary;
    readonly limit?: number;
  } = {}): Promise<readonly SessionSummary[]> {
    this.#checkNotClosed();
    return [...this.#sessions]
      .map(([sessionId, { log, createdAt, updatedAt }]) => ({
        sessionId,
        createdAt,
        updatedAt,
        lastSeq: log.length,
      }))
      .filter((summary) => !before || compareSummaries(before, summary) < 0)
      .sort(compareSummaries)
      .slice(0, limit);
  }

  async remove(lease: Lease): Promise<void> {
    this.#checkNotClosed();
    const { sessionId } = lease;
    checkNewest(this.#leases.get(sessionId), lease, "removed");
    this.#leases.delete(sessionId);
    this.#sessions.delete(sessionId);
    for (const [questionId, { question }] of this.#questions) {
      if (question.sessionId !== sessionId) continue;
      this.#questions.delete(questionId);
      this.#openQuestions.delete(questionId);
      this.#questionNumbers.delete(questionId);
    }
    this.#followers.wake(sessionId);
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    this.#checkNotClosed();
    const hash = createHash("sha256").update(bytes).digest("hex");
    const known = this.#blobs.get(hash)?.bytes ?? new Uint8Array(bytes);
    this.#blobs.set(hash, { bytes: known, putAt: this.#now() });
    return hash;
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    this.#checkNotClosed();
    return this.#blobs.get(hash)?.bytes.slice();
  }

  /** Removes the blobs that are not used and were last put before that time; returns how many. */
  removeBlobs(used: ReadonlySet<string>, putBefore: number): number {
    this.#checkNotClosed();
    const unused = [...this.#blobs].filter(([hash, { putAt }]) => !used.has(hash) && putAt < putBefore);
    for (const [hash] of unused) this.#blobs.delete(hash);
    return unused.length;
  }

  /** Ends the followers, also those with unread events. A second close does nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#followers.wakeAll();
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError(
      "LEDGER_CLOSED",
      "The ledger is closed. Nothing was read or written; open it again first.",
    );
  }

  #storeLease(
    held: Omit<Lease, "expiresAt">,
    now: number,
    { milliseconds }: { milliseconds: number },
  ): Lease {
    const lease = Object.freeze({ ...held, expiresAt: now + milliseconds });
    this.#leases.set(lease.sessionId, { ...lease, milliseconds });
    return lease;
  }

  /** Stores events that nobody else refers to, all or none, and returns the last `seq`. */
  #record(sessionId: string, events: readonly SessionEvent[]): number {
    const questions = questionsAfter(events, sessionId, (questionId) => this.#questions.get(questionId));
    const known = this.#sessions.get(sessionId);
    if (events.length === 0) return known?.log.length ?? 0;
    const now = this.#now();
    const session = known ?? { log: [], createdAt: now, updatedAt: now };
    session.updatedAt = now;
    for (const event of events) session.log.push({ seq: session.log.length + 1, event });
    this.#sessions.set(sessionId, session);
    for (const [questionId, asked] of questions) this.#setQuestion(questionId, asked);
    this.#followers.wake(sessionId);
    return session.log.length;
  }

  #setQuestion(questionId: string, asked: AskedQuestion): void {
    this.#questions.set(questionId, asked);
    if (!this.#questionNumbers.has(questionId)) this.#questionNumbers.set(questionId, ++this.#lastQuestion);
    if (asked.state.status === "open") this.#openQuestions.set(questionId, asked.question);
    else this.#openQuestions.delete(questionId);
  }
}

function frozenPage(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  for (const recorded of events) frozen(recorded);
  return events;
}

type KeptSession = { readonly log: RecordedEvent[]; readonly createdAt: number; updatedAt: number };

/** The most recently written first; sessions of the same time by their ids, so that a page can start after any. */
function compareSummaries(one: SessionSummary, other: SessionSummary): number {
  if (one.updatedAt !== other.updatedAt) return other.updatedAt - one.updatedAt;
  if (one.sessionId === other.sessionId) return 0;
  return one.sessionId < other.sessionId ? -1 : 1;
}
