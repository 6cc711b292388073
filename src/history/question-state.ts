/**
 * The state of questions, the same in every ledger.
 *
 * The rules are as strict as the fold of the session: `answer` and `append` may settle a question at the same time, and
 * a log with both could never be folded again. Ids are unique over all sessions, because `answer` gets only an id.
 */
import type { Answer, AnswerReceipt, AskedQuestion, SessionEvent } from "../call/index.js";
import { checkAnswer, IllegalEvent, LedgerError } from "../call/index.js";

export type QuestionEvent = SessionEvent & { type: `question-${string}` };

export function isAboutQuestion(event: SessionEvent): event is QuestionEvent {
  return (
    event.type === "question-asked" ||
    event.type === "question-answered" ||
    event.type === "question-withdrawn"
  );
}

/** The new states of the questions that these events change; throws when a change is illegal. */
export function questionsAfter(
  events: readonly SessionEvent[],
  sessionId: string,
  find: (questionId: string) => AskedQuestion | undefined,
): ReadonlyMap<string, AskedQuestion> {
  const after = new Map<string, AskedQuestion>();
  for (const event of events) {
    if (!isAboutQuestion(event)) continue;
    const questionId = event.type === "question-asked" ? event.question.questionId : event.questionId;
    const before = after.get(questionId) ?? find(questionId);
    after.set(questionId, questionAfter(before, event, sessionId));
  }
  return after;
}

export function questionAfter(
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

export type GivenAnswer = { readonly questionId: string; readonly answer: Answer; readonly at: number };

/** The receipt of an answer, and the event that records it in `sessionId` if it counts. Throws as the port says. */
export function answerQuestion(
  asked: AskedQuestion | undefined,
  { questionId, answer, at }: GivenAnswer,
): { readonly receipt: AnswerReceipt; readonly sessionId: string; readonly event?: QuestionEvent } {
  if (!asked) throw noSuchQuestion(questionId);
  const { question, state } = asked;
  const { sessionId } = question;
  if (state.status === "answered") return { receipt: { counted: false, answer: state.answer }, sessionId };
  if (state.status === "withdrawn") {
    const subject = `Question ${questionId} (${question.title})`;
    // Some reasons are whole sentences.
    const why = state.reason.replace(/\.$/, "");
    throw new LedgerError("WITHDRAWN", `${subject} was withdrawn: ${why}. The answer was not recorded.`);
  }
  checkAnswer(question, answer, at);
  const event = Object.freeze({ type: "question-answered", at, questionId, answer } as const);
  return { receipt: { counted: true, answer }, sessionId, event };
}

export function noSuchQuestion(questionId: string): LedgerError {
  return new LedgerError(
    "NO_SUCH_QUESTION",
    `No question ${questionId} is recorded here. Nothing was recorded.`,
  );
}
