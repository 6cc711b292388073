/** What the answers that have come in mean for the calls that wait for them. */
import { answerAllows } from "../call/index.js";
import type { AskedQuestion, Decision, SessionBook, SessionEvent } from "../call/index.js";

export function answeredEvents(book: SessionBook, at: number): readonly SessionEvent[] {
  return book.openCalls().flatMap(({ toolCallId, state }): SessionEvent[] => {
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return [];
    const asked = book.question(state.waitingFor.questionId);
    return asked ? settled(toolCallId, asked, at) : [];
  });
}

function settled(toolCallId: string, { question, state }: AskedQuestion, at: number): SessionEvent[] {
  if (state.status === "answered") {
    const decision: Decision = {
      by: state.answer.by,
      ...(state.answer.who !== undefined && { who: state.answer.who }),
      ...(state.answer.rule !== undefined && { rule: state.answer.rule }),
      ...(state.answer.reason !== undefined && { reason: state.answer.reason }),
      intentHash: question.intentHash,
      at: state.answer.at,
    };
    return [
      {
        type: answerAllows(question, state.answer) ? "call-cleared" : "call-refused",
        toolCallId,
        at,
        decision,
      },
    ];
  }
  // Nobody will answer it any more, and nobody said yes.
  if (state.status === "withdrawn") return [{ type: "call-cancelled", toolCallId, at, reason: state.reason }];
  if (question.expiresAt === undefined || at < question.expiresAt) return [];
  const reason = "nobody answered in time";
  return [
    { type: "question-withdrawn", at, questionId: question.questionId, reason },
    { type: "call-refused", toolCallId, at, decision: { by: "rule", rule: "questions expire", reason, at } },
  ];
}
