/**
 * Shows a question with `ask` (a terminal, an editor, a function of the caller's) and waits for its answer. The first
 * answer counts, from here or elsewhere; then the signal of the others aborts.
 */
import { AMOUNT, checkOptions, FUNCTION, LEDGER, OBJECT, required, SIGNAL } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import { IllegalEvent, LedgerError } from "../call/index.js";
import type { Answer, Ledger, Question, RecordedEvent, ShownQuestion } from "../call/index.js";
import { linkAbort } from "./linked-abort.js";

/**
 * Shows a question and returns the answer. `question.call` has the tool's name, its kind and the whole input. The signal
 * aborts when the question is settled elsewhere.
 */
export type Ask = (
  question: ShownQuestion,
  signal: AbortSignal,
) => Promise<Omit<Answer, "intentHash" | "at">>;

type WaitOptions = {
  readonly ledger: Ledger;
  readonly question: ShownQuestion;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  /** The number of an event after which the question is known to have been open: where to follow from. */
  readonly after?: number;
  readonly now?: () => number;
};

const WAIT_OPTIONS: OptionChecks<WaitOptions> = {
  ledger: required(LEDGER),
  question: required({ ...OBJECT, expected: "a question (openQuestions)" }),
  ask: required(FUNCTION),
  signal: required(SIGNAL),
  after: AMOUNT,
  now: FUNCTION,
};

/** For the library's users: refuses wrong options at once. */
export async function waitForAnswers(options: WaitOptions): Promise<void> {
  checkOptions<WaitOptions>("waitForAnswers", options, WAIT_OPTIONS);
  await untilAnswered(options);
}

/**
 * For our own doors. Returns when the question is answered, withdrawn or expired, or the signal aborts. Does not wait
 * for an asker that ignores its signal.
 */
export async function untilAnswered(options: WaitOptions): Promise<void> {
  const { ledger, question, ask, signal, after = 0, now = Date.now } = options;
  if (signal.aborted) return;
  const { stop, unlink } = linkAbort(signal);
  const leave = [unlink];
  try {
    await new Promise<void>((resolve, reject) => {
      stop.onStop = () => resolve();
      leave.push(onQuestionSettled(ledger, question, after, resolve), onExpiry(question, now, resolve));
      askAndRecord(ledger, question, ask, stop.signal, now).then(resolve, reject);
    });
  } finally {
    for (const end of leave) end();
    stop.stop(SETTLED);
  }
}

/** Calls back when the question has expired, which most never do. Returns the function that ends the wait. */
function onExpiry({ expiresAt }: Question, now: () => number, onExpired: () => void): () => void {
  if (expiresAt === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    const left = expiresAt - now();
    if (left <= 0) return onExpired();
    // Timers take no more than 24 days, and a clock may be set: check again now and then.
    timer = setTimeout(check, Math.min(left, RECHECK_MS));
  };
  check();
  return () => clearTimeout(timer);
}

const RECHECK_MS = 60_000;

/** Made once: an abort without a reason makes one each time, with a stack that nobody reads. */
const SETTLED = new Error("the question is settled");

async function askAndRecord(
  ledger: Ledger,
  question: ShownQuestion,
  ask: Ask,
  signal: AbortSignal,
  now: () => number,
): Promise<void> {
  const { questionId, intentHash } = question;
  const answer = await askSafely(question, ask, signal);
  if (signal.aborted) return;
  try {
    await ledger.answer(questionId, { ...answer, intentHash, at: now() });
  } catch (error) {
    if (error instanceof LedgerError && error.code === "WITHDRAWN") return;
    if (!(error instanceof LedgerError) && !(error instanceof IllegalEvent)) throw error;
    // The ledger does not accept this answer, so it counts as a refusal.
    await ledger.answer(questionId, { ...refusal(error.message), intentHash, at: now() });
  }
}

/** Calls the asker; a failure or an unreadable answer never counts as a yes. */
async function askSafely(
  question: ShownQuestion,
  ask: Ask,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Ask>>> {
  try {
    const answer: unknown = await ask(question, signal);
    return isAnswer(answer) ? answer : refusal("the answer could not be read");
  } catch (error) {
    return refusal(
      `the question could not be shown: ${error instanceof Error ? error.message : "no reason given"}`,
    );
  }
}

function isAnswer(answer: unknown): answer is Awaited<ReturnType<Ask>> {
  if (typeof answer !== "object" || answer === null || !("outcome" in answer) || !("by" in answer))
    return false;
  const { outcome, by } = answer;
  if (typeof outcome !== "object" || outcome === null || !("type" in outcome)) return false;
  return (outcome.type === "selected" || outcome.type === "refused") && (by === "person" || by === "rule");
}

function refusal(reason: string): Awaited<ReturnType<Ask>> {
  return { outcome: { type: "refused" }, by: "rule", rule: "no readable answer", reason };
}

const followed = new WeakMap<Ledger, Map<string, SessionWatch>>();

/**
 * Watches a session's log for a settled question. All waits on one session share one follower: each of a hundred
 * followers would read the events of the other ninety-nine.
 *
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
