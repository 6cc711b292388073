/**
 * Waits for a question's answer while someone shows it: a terminal, an editor, a function of the
 * caller's. Whoever answers first counts, here or elsewhere; then the others are told to stop asking.
 */
import { LedgerError } from "../call/index.js";
import type { Answer, Ledger, Question, RecordedEvent } from "../call/index.js";

/** Shows a question and comes back with what was chosen. The signal says that it no longer matters. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Omit<Answer, "intentHash" | "at">>;

export type HoldOptions = {
  readonly ledger: Ledger;
  readonly question: Question;
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly now?: () => number;
};

/** Returns when the question is answered, withdrawn, or the signal aborts. */
export async function holdUntilAnswered({
  ledger,
  question,
  ask,
  signal,
  now = Date.now,
}: HoldOptions): Promise<void> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const settledElsewhere = watch(ledger, question, stop);
  const askedHere = put(ledger, question, ask, stop, now);
  try {
    await Promise.race([settledElsewhere, askedHere]);
  } finally {
    over.abort();
    await Promise.allSettled([settledElsewhere, askedHere]);
  }
}

async function watch(
  ledger: Ledger,
  { sessionId, questionId }: Question,
  signal: AbortSignal,
): Promise<void> {
  for await (const recorded of ledger.follow(sessionId, { signal })) {
    if (settles(recorded, questionId)) return;
  }
}

function settles({ event }: RecordedEvent, questionId: string): boolean {
  return (
    (event.type === "question-answered" || event.type === "question-withdrawn") &&
    event.questionId === questionId
  );
}

async function put(
  ledger: Ledger,
  question: Question,
  ask: Ask,
  signal: AbortSignal,
  now: () => number,
): Promise<void> {
  const { questionId, intentHash } = question;
  const answer = await askSafely(question, ask, signal);
  if (signal.aborted || !answer) return;
  try {
    await ledger.answer(questionId, { ...answer, intentHash, at: now() });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // Withdrawn meanwhile: nothing to do. Anything else was no answer we can take, and is refused.
    if (error.code === "WITHDRAWN") return;
    await ledger.answer(questionId, {
      outcome: { type: "refused" },
      by: "person",
      reason: error.message,
      intentHash,
      at: now(),
    });
  }
}

/** An asker that breaks has not said yes. */
async function askSafely(
  question: Question,
  ask: Ask,
  signal: AbortSignal,
): Promise<Omit<Answer, "intentHash" | "at"> | undefined> {
  try {
    return await ask(question, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    const reason = `the question could not be shown: ${error instanceof Error ? error.message : String(error)}`;
    return { outcome: { type: "refused" }, by: "person", reason };
  }
}
