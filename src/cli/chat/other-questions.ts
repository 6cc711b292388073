/** The open questions of other sessions in the same history. */
import { allOpenQuestions, readAll, shownQuestion } from "../../call/index.js";
import type { Ledger, Question, ShownQuestion, ToolCall } from "../../call/index.js";
import { bookOfLog } from "../../call/ledger.js";

export async function otherQuestions(ledger: Ledger, sessionId: string): Promise<readonly Question[]> {
  return (await allOpenQuestions(ledger)).filter((question) => question.sessionId !== sessionId);
}

/** Undefined when the question was settled meanwhile. */
export async function questionWithCall(
  ledger: Ledger,
  { sessionId, questionId, toolCallId }: Question,
): Promise<{ readonly question: ShownQuestion; readonly call: ToolCall } | undefined> {
  const book = bookOfLog(sessionId, await readAll(ledger, sessionId));
  const asked = book.question(questionId);
  const call = book.call(toolCallId);
  if (asked?.state.status !== "open" || !call) return undefined;
  return { question: shownQuestion(asked.question, call), call };
}
