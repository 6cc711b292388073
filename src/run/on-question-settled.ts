/**
 * Watches a session's log for settled questions. All waits on one session share one follower: each of a hundred
 * followers would read the events of the other ninety-nine.
 */
import type { Ledger, Question, RecordedEvent } from "../call/index.js";

const followed = new WeakMap<Ledger, Map<string, SessionWatch>>();

/**
 * Calls back once, when the question is settled or the session can no longer be followed. Returns the function that ends
 * the wait.
 */
export function onQuestionSettled(
  ledger: Ledger,
  { sessionId, questionId }: Question,
  after: number,
  onSettled: () => void,
): () => void {
  const watches = followed.get(ledger) ?? new Map<string, SessionWatch>();
  followed.set(ledger, watches);
  const known = watches.get(sessionId);
  if (known && known.after <= after) return known.wait(questionId, onSettled);
  // The question may have been settled before the position from which the existing follower reads.
  const watch = new SessionWatch(ledger, sessionId, after, () => {
    if (watches.get(sessionId) === watch) watches.delete(sessionId);
  });
  watches.set(sessionId, watch);
  return watch.wait(questionId, onSettled);
}

const NOBODY_WAITS = new Error("nobody waits for a question");

class SessionWatch {
  readonly after: number;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #seen = new Set<string>();
  readonly #stop = new AbortController();
  readonly #onEnd: () => void;
  #isOver = false;

  constructor(ledger: Ledger, sessionId: string, after: number, onEnd: () => void) {
    this.after = after;
    this.#onEnd = onEnd;
    // A ledger that can no longer be read ends the wait; the waiting caller gets the error on its next use of it.
    this.#follow(ledger, sessionId)
      .catch(() => undefined)
      .finally(() => this.#end());
  }

  wait(questionId: string, onSettled: () => void): () => void {
    if (this.#isOver || this.#seen.has(questionId)) {
      onSettled();
      return () => undefined;
    }
    const waiting = this.#waiting.get(questionId) ?? new Set();
    this.#waiting.set(questionId, waiting);
    waiting.add(onSettled);
    return () => {
      if (waiting.delete(onSettled) && waiting.size === 0) this.#nobodyWaitsFor(questionId);
    };
  }

  #nobodyWaitsFor(questionId: string): void {
    this.#waiting.delete(questionId);
    if (this.#waiting.size > 0) return;
    // A later caller must not join a watch that is ending.
    this.#onEnd();
    this.#stop.abort(NOBODY_WAITS);
  }

  #tell(questionId: string, waiting: Set<() => void>): void {
    const all = [...waiting];
    waiting.clear();
    this.#nobodyWaitsFor(questionId);
    for (const onSettled of all) onSettled();
  }

  async #follow(ledger: Ledger, sessionId: string): Promise<void> {
    const { signal } = this.#stop;
    for await (const recorded of ledger.follow(sessionId, { after: this.after, signal })) {
      const questionId = settledBy(recorded);
      if (questionId === undefined) continue;
      this.#seen.add(questionId);
      const waiting = this.#waiting.get(questionId);
      if (waiting) this.#tell(questionId, waiting);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#onEnd();
    for (const [questionId, waiting] of this.#waiting) this.#tell(questionId, waiting);
  }
}

function settledBy({ event }: RecordedEvent): string | undefined {
  return event.type === "question-answered" || event.type === "question-withdrawn"
    ? event.questionId
    : undefined;
}
