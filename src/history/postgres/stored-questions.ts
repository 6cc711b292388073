/** Questions: answered once, by anyone and without the lease, and listed while they are open. */
import type { Answer, AnswerReceipt, OpenQuestionsOptions, Question } from "../../call/index.js";
import { DEFAULT_READ_LIMIT } from "../../call/index.js";
import { chainStart } from "../chain/hash-chain.js";
import { answerQuestion, noSuchQuestion } from "../question-state.js";
import { frozenJson, questionFromStored, storedEvent, storedName } from "../stored-json.js";
import type { LedgerContext } from "./ledger-context.js";
import { recordedRow } from "./session-followers.js";
import { ConnectionLost } from "./server-errors.js";

/** `onStored` is called with the session when the answer counts. */
export async function storeAnswer(
  { sql, statements, time }: LedgerContext,
  questionId: string,
  answer: Answer,
  onStored: (sessionId: string) => void,
): Promise<AnswerReceipt> {
  const copy = frozenJson(answer, `Question ${questionId}`, "question-answered");
  const name = storedName(questionId);
  /** Our event, when the connection was lost after it was sent. */
  let sent: string | undefined;
  return sql.withRetries(async () => {
    for (;;) {
      const [row] = await sql.run(statements.question, time(), name);
      const asked = row && questionFromStored(questionId, row);
      if (row && sent !== undefined && row.settled === sent) return { counted: true, answer: copy };
      const at = row?.now ?? 0;
      const { receipt, sessionId, event } = answerQuestion(asked, { questionId, answer: copy, at });
      if (!event) return receipt;
      const { text } = storedEvent(event, sessionId);
      try {
        const [done] = await sql.run(statements.answer, time(), name, text, chainStart(sessionId));
        if (!done) continue;
      } catch (error) {
        if (error instanceof ConnectionLost && error.wasSent) sent = text;
        throw error;
      }
      onStored(sessionId);
      return receipt;
    }
  });
}

export async function openQuestions(
  { sql, statements }: LedgerContext,
  { sessionId, after, limit = DEFAULT_READ_LIMIT }: OpenQuestionsOptions,
): Promise<readonly Question[]> {
  const questionNumber = async (questionId: string): Promise<number> => {
    const [row] = await sql.retried(statements.questionNumber, storedName(questionId));
    if (!row) throw noSuchQuestion(questionId);
    return row.number;
  };
  const found: Question[] = [];
  for (let from = after === undefined ? 0 : await questionNumber(after); found.length < limit;) {
    const rows =
      sessionId === undefined
        ? await sql.retried(statements.openQuestions, from, limit)
        : await sql.retried(statements.openQuestionsOf, storedName(sessionId), from, limit);
    for (const row of rows) {
      const { event } = recordedRow(row);
      // A damaged row is left out, and the page is filled from those after it.
      if (event.type === "question-asked") found.push(event.question);
    }
    const last = rows.at(-1);
    if (!last || rows.length < limit) break;
    from = last.number;
  }
  return found.slice(0, limit);
}
