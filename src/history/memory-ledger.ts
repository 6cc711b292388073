/**
 * The ledger that lives as long as its process: for tests, for scripts, for whoever wants no file.
 *
 * What must stay true: a change is checked as a whole before any of it is made, with no `await` in
 * between, so calls cannot interleave. What is stored is frozen JSON, a copy of what was handed in, so
 * it can be handed out as it is. A follower holds a place in the log and nothing else. There is no disk
 * here, so `durable` asks for nothing more.
 */
import { createHash } from "node:crypto";
import type {
  Answer,
  AnswerReceipt,
  AskedQuestion,
  Lease,
  Ledger,
  Question,
  RecordedEvent,
  SessionEvent,
} from "../call/index.js";
import { checkAnswer, IllegalEvent, LedgerError, oneLine } from "../call/index.js";

export class MemoryLedger implements Ledger {
  readonly #now: () => number;
  readonly #logs = new Map<string, RecordedEvent[]>();
  /** A session's newest lease. It stays when it ends: the next one's fence must be higher. */
  readonly #holdings = new Map<string, Holding>();
  readonly #questions = new Map<string, AskedQuestion>();
  readonly #openQuestions = new Map<string, Question>();
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #sleepers = new Sleepers();
  #isClosed = false;

  constructor({ now = Date.now }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  async claim(sessionId: string, owner: string, options: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    const now = this.#now();
    const held = this.#holdings.get(sessionId);
    if (held?.owner !== undefined && held.owner !== owner && now < held.expiresAt) {
      const until = `until ${moment(held.expiresAt)}`;
      throw new LedgerError(
        "LEASE_HELD",
        `Session ${sessionId} is held by ${held.owner} ${until}. Nothing was claimed.`,
      );
    }
    const fence = (held?.fence ?? 0) + 1;
    return this.#hold({ sessionId, owner, fence, expiresAt: now + options.milliseconds });
  }

  async renew(lease: Lease, options: { readonly milliseconds: number }): Promise<Lease> {
    this.#checkNotClosed();
    this.#checkNewest(lease, "renewed");
    const { sessionId, owner, fence } = lease;
    return this.#hold({ sessionId, owner, fence, expiresAt: this.#now() + options.milliseconds });
  }

  async release({ sessionId, fence }: Lease): Promise<void> {
    this.#checkNotClosed();
    if (this.#holdings.get(sessionId)?.fence !== fence) return;
    // As if nobody had claimed it: the fence of the released lease is no longer the newest.
    this.#holdings.set(sessionId, { owner: undefined, fence: fence + 1, expiresAt: -Infinity });
  }

  async append(
    lease: Lease,
    events: readonly SessionEvent[],
    _options: { readonly durable: boolean },
  ): Promise<number> {
    this.#checkNotClosed();
    const { sessionId } = lease;
    // Copied first: an event with a `toJSON` of its own runs foreign code, and the checks come after that.
    const copies = events.map((event) => frozenJson(event, `Session ${sessionId}`, event.type));
    this.#checkNewest(lease, "appended");
    return this.#record(sessionId, copies);
  }

  async read(
    sessionId: string,
    { after = 0 }: { readonly after?: number } = {},
  ): Promise<readonly RecordedEvent[]> {
    this.#checkNotClosed();
    return this.#logs.get(sessionId)?.slice(Math.max(0, after)) ?? [];
  }

  follow(
    sessionId: string,
    { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
  ): AsyncIterable<RecordedEvent> {
    this.#checkNotClosed();
    return this.#eventsAfter(sessionId, Math.max(0, after), signal);
  }

  async answer(questionId: string, answer: Answer): Promise<AnswerReceipt> {
    this.#checkNotClosed();
    const copy = frozenJson(answer, `Question ${questionId}`, "question-answered");
    const asked = this.#questions.get(questionId);
    if (!asked) {
      throw new LedgerError(
        "NO_SUCH_QUESTION",
        `No question ${questionId} was ever asked here. Nothing was recorded.`,
      );
    }
    const { question, state } = asked;
    if (state.status === "answered") return { counted: false, answer: state.answer };
    if (state.status === "withdrawn") {
      const subject = `Question ${questionId} (${question.title})`;
      throw new LedgerError(
        "WITHDRAWN",
        `${subject} was withdrawn: ${state.reason}. The answer was not recorded.`,
      );
    }
    const now = this.#now();
    checkAnswer(question, copy, now);
    this.#record(question.sessionId, [
      Object.freeze({ type: "question-answered", at: now, questionId, answer: copy }),
    ]);
    return { counted: true, answer: copy };
  }

  async openQuestions({ sessionId }: { readonly sessionId?: string } = {}): Promise<readonly Question[]> {
    this.#checkNotClosed();
    return [...this.#openQuestions.values()]
      .filter((question) => sessionId === undefined || question.sessionId === sessionId)
      .sort((one, other) => one.askedAt - other.askedAt);
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    this.#checkNotClosed();
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (!this.#blobs.has(hash)) this.#blobs.set(hash, new Uint8Array(bytes));
    return hash;
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    this.#checkNotClosed();
    return this.#blobs.get(hash)?.slice();
  }

  /** Ends the followers, also those with events still to come. Closing twice is fine. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sleepers.wakeAll();
  }

  #checkNotClosed(): void {
    if (!this.#isClosed) return;
    throw new LedgerError(
      "LEDGER_CLOSED",
      "The ledger is closed. Nothing was read or written; open it again first.",
    );
  }

  #checkNewest({ sessionId, owner, fence }: Lease, done: string): void {
    const newest = this.#holdings.get(sessionId);
    if (newest?.fence === fence) return;
    const why = newest?.owner === undefined ? "nobody holds it" : `${newest.owner} has claimed it since`;
    throw new LedgerError(
      "LEASE_LOST",
      `${owner} has lost the lease on session ${sessionId}: ${why}. Nothing was ${done}.`,
    );
  }

  #hold(lease: Lease): Lease {
    this.#holdings.set(lease.sessionId, Object.freeze(lease));
    return lease;
  }

  /** Takes frozen events, all or none, and returns the last `seq`. */
  #record(sessionId: string, events: readonly SessionEvent[]): number {
    const log = this.#logs.get(sessionId) ?? [];
    const questions = this.#questionsAfter(sessionId, events);
    for (const event of events) log.push(Object.freeze({ seq: log.length + 1, event }));
    for (const [questionId, asked] of questions) {
      this.#questions.set(questionId, asked);
      if (asked.state.status === "open") this.#openQuestions.set(questionId, asked.question);
      else this.#openQuestions.delete(questionId);
    }
    if (events.length > 0) {
      this.#logs.set(sessionId, log);
      this.#sleepers.wake(sessionId);
    }
    return log.length;
  }

  /** What becomes of the questions that these events are about. Changes nothing yet. */
  #questionsAfter(sessionId: string, events: readonly SessionEvent[]): ReadonlyMap<string, AskedQuestion> {
    const after = new Map<string, AskedQuestion>();
    for (const event of events) {
      if (!isAboutQuestion(event)) continue;
      const questionId = event.type === "question-asked" ? event.question.questionId : event.questionId;
      const before = after.get(questionId) ?? this.#questions.get(questionId);
      after.set(questionId, questionAfter(before, event, sessionId));
    }
    return after;
  }

  async *#eventsAfter(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<RecordedEvent> {
    let seq = after;
    while (!signal.aborted && !this.#isClosed) {
      // The event after `seq` is at that index, and nothing can be appended between this look and the sleep.
      const next = this.#logs.get(sessionId)?.[seq];
      if (next) {
        seq = next.seq;
        yield next;
      } else {
        await this.#sleepers.sleep(sessionId, signal);
      }
    }
  }
}

type Holding = { readonly owner: string | undefined; readonly fence: number; readonly expiresAt: number };

type QuestionEvent = SessionEvent & { type: `question-${string}` };

function isAboutQuestion(event: SessionEvent): event is QuestionEvent {
  return (
    event.type === "question-asked" ||
    event.type === "question-answered" ||
    event.type === "question-withdrawn"
  );
}

/**
 * As strict as the fold of the session: two may settle a question at once, one by `answer` and one by
 * `append`, and a log with both in it could never be read again. Ids must be unique over all sessions,
 * because `answer` is told nothing else.
 */
function questionAfter(
  asked: AskedQuestion | undefined,
  event: QuestionEvent,
  sessionId: string,
): AskedQuestion {
  if (event.type === "question-asked") {
    const { question } = event;
    const subject = `Question ${question.questionId}`;
    if (asked) throw new IllegalEvent(subject, event.type, "was asked before");
    if (question.sessionId !== sessionId) {
      throw new IllegalEvent(subject, event.type, `is of session ${question.sessionId}, not ${sessionId},`);
    }
    return { question, state: { status: "open" } };
  }
  const subject = `Question ${event.questionId}`;
  if (asked?.question.sessionId !== sessionId) {
    throw new IllegalEvent(subject, event.type, `was never asked in session ${sessionId}`);
  }
  if (asked.state.status !== "open") {
    throw new IllegalEvent(subject, event.type, `is already ${asked.state.status}`);
  }
  return {
    question: asked.question,
    state:
      event.type === "question-answered"
        ? { status: "answered", answer: event.answer }
        : { status: "withdrawn", reason: event.reason, at: event.at },
  };
}

/** What a ledger on disk would give back; what cannot be written as JSON is turned away. */
function frozenJson<Value>(value: Value, subject: string, eventType: string): Value {
  try {
    return JSON.parse(JSON.stringify(value), (_name, part: unknown) => Object.freeze(part)) as Value;
  } catch (thrown) {
    const reason = oneLine(thrown instanceof Error ? thrown.message : String(thrown), 200);
    throw new IllegalEvent(subject, eventType, `keeps only what can be written as JSON (${reason})`);
  }
}

/** A lease may be for ever, and a Date may not. */
function moment(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
}

/** Followers that have read all there is, each under the two things that may wake it. */
class Sleepers {
  readonly #wakes = new Map<string | AbortSignal, Set<() => void>>();
  // One listener per signal, however many followers share it: Node warns of a leak at the eleventh.
  readonly #onAbort = ({ target }: Event) => this.wake(target as AbortSignal);

  /** Until something is appended to the session, the signal aborts or all are woken. */
  sleep(sessionId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#remove(sessionId, wake);
        if (this.#remove(signal, wake)) signal.removeEventListener("abort", this.#onAbort);
        resolve();
      };
      this.#add(sessionId, wake);
      this.#add(signal, wake);
      signal.addEventListener("abort", this.#onAbort);
    });
  }

  wake(key: string | AbortSignal): void {
    for (const wake of this.#wakes.get(key) ?? []) wake();
  }

  wakeAll(): void {
    for (const key of this.#wakes.keys()) this.wake(key);
  }

  #add(key: string | AbortSignal, wake: () => void): void {
    const wakes = this.#wakes.get(key);
    if (wakes) wakes.add(wake);
    else this.#wakes.set(key, new Set([wake]));
  }

  /** Whether it was the last one. */
  #remove(key: string | AbortSignal, wake: () => void): boolean {
    const wakes = this.#wakes.get(key);
    wakes?.delete(wake);
    return wakes?.size === 0 && this.#wakes.delete(key);
  }
}
