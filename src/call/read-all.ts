/** Reads from a ledger page by page, so that no single request of a store is unbounded. */
import type { Ledger, OpenQuestionsOptions, ReadOptions, RecordedEvent, SessionSummary } from "./ledger.js";
import { DEFAULT_READ_LIMIT, LedgerError } from "./ledger.js";
import type { Question } from "./question.js";

/** The session's events in pages, each read when the one before was taken. */
export async function* eventPages(
  ledger: Pick<Ledger, "read">,
  sessionId: string,
  { limit = DEFAULT_READ_LIMIT, ...options }: ReadOptions = {},
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let { after = 0 } = options; ;) {
    const page = await ledger.read(sessionId, { ...options, after, limit });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = last.seq;
  }
}

/** All events of a session that match. */
export async function readAll(
  ledger: Pick<Ledger, "read">,
  sessionId: string,
  options: Omit<ReadOptions, "limit"> = {},
): Promise<readonly RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const page of eventPages(ledger, sessionId, options)) for (const one of page) all.push(one);
  return all;
}

/** All open questions, of one session or of all. */
export async function allOpenQuestions(
  ledger: Pick<Ledger, "openQuestions">,
  { sessionId }: Pick<OpenQuestionsOptions, "sessionId"> = {},
): Promise<readonly Question[]> {
  const questions = new Map<string, Question>();
  for (let after: string | undefined; ;) {
    const page = await ledger
      .openQuestions({
        limit: DEFAULT_READ_LIMIT,
        ...(sessionId !== undefined && { sessionId }),
        ...(after !== undefined && { after }),
      })
      .catch((error: unknown) => {
        if (error instanceof LedgerError && error.code === "NO_SUCH_QUESTION") return undefined;
        throw error;
      });
    for (const question of page ?? []) questions.set(question.questionId, question);
    if (page && page.length < DEFAULT_READ_LIMIT) return [...questions.values()];
    // Someone removed the session that the page before ended with: the list starts again.
    after = page?.at(-1)?.questionId;
  }
}

/** All sessions, the most recently written first. */
export async function* allSessions(
  ledger: Pick<Ledger, "sessions">,
  limit = DEFAULT_READ_LIMIT,
): AsyncGenerator<SessionSummary> {
  for (let before: SessionSummary | undefined; ;) {
    const page = await ledger.sessions({ limit, ...(before && { before }) });
    yield* page;
    before = page.at(-1);
    if (!before || page.length < limit) return;
  }
}
