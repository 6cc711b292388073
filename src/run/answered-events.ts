/** Turns recorded answers into the events that clear or refuse the calls waiting for them. */
import { answerAllows } from "../call/index.js";
import type { Answer, AskedQuestion, Decision, Question, SessionBook, SessionEvent } from "../call/index.js";

/** An answer, and the call that it is for. */
export type Answered = {
  readonly toolCallId: string;
  readonly question: Question;
  readonly answer: Answer;
};

/** Calls whose question was answered, and that nobody has taken further yet. */
export function answeredCalls(book: SessionBook): readonly Answered[] {
  return waiting(book).flatMap(({ toolCallId, asked: { question, state } }) =>
    state.status === "answered" ? [{ toolCallId, question, answer: state.answer }] : [],
  );
}

/** Questions that still wait for an answer. */
export function openQuestions(book: SessionBook): readonly Question[] {
  return waiting(book).flatMap(({ asked: { question, state } }) =>
    state.status === "open" ? [question] : [],
  );
}

/** The decision that an answer is. */
export function decisionOf({ question, answer }: Answered): Decision {
  return {
    by: answer.by,
    ...(answer.who !== undefined && { who: answer.who }),
    ...(answer.rule !== undefined && { rule: answer.rule }),
    ...(answer.reason !== undefined && { reason: answer.reason }),
    intentHash: question.intentHash,
    at: answer.at,
  };
}

export function settledByAnswer(answered: Answered, at: number): SessionEvent {
  const { toolCallId, question, answer } = answered;
  const type = answerAllows(question, answer) ? "call-cleared" : "call-refused";
  return { type, toolCallId, at, decision: decisionOf(answered) };
}

/** Calls whose question nobody will answer any more: taken back, or too late. */
export function unansweredEvents(book: SessionBook, at: number): readonly SessionEvent[] {
  return waiting(book).flatMap(({ toolCallId, asked: { question, state } }): SessionEvent[] => {
    // Nobody said yes.
    if (state.status === "withdrawn")
      return [{ type: "call-cancelled", toolCallId, at, reason: state.reason }];
    if (state.status !== "open" || question.expiresAt === undefined || at < question.expiresAt) return [];
    const reason = "the question expired: nobody answered in time";
    return [
      { type: "question-withdrawn", at, questionId: question.questionId, reason },
      {
        type: "call-refused",
        toolCallId,
        at,
        decision: { by: "rule", rule: "questions expire", reason, at },
      },
    ];
  });
}

function waiting(book: SessionBook): readonly { toolCallId: string; asked: AskedQuestion }[] {
  return book.openCalls().flatMap(({ toolCallId, state }) => {
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return [];
    const asked = book.question(state.waitingFor.questionId);
    return asked ? [{ toolCallId, asked }] : [];
  });
}
