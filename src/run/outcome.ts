/** How a call that waited for a decision was decided. */
import { answerAllows } from "../call/index.js";
import type { SessionBook, ToolCall } from "../call/index.js";
import { changesInput } from "../call/question.js";

export type Outcome =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly reason: string | undefined }
  /** Nobody will answer: the question was withdrawn. */
  | { readonly type: "cancelled" };

/** `questionId`: the question that was asked about it, where the rules did not decide. */
export function outcomeOf(book: SessionBook, toolCallId: string, questionId: string | undefined): Outcome {
  const call = book.call(toolCallId);
  if (call?.state.status === "refused") return { type: "refused", reason: refusalReason(call) };
  if (!call || call.state.status === "cancelled") return { type: "cancelled" };
  if (questionId === undefined) return { type: "allowed" };
  const asked = book.question(questionId);
  if (asked?.state.status !== "answered") return { type: "cancelled" };
  const { answer } = asked.state;
  // A yes to another input is none for the call that its runner has.
  return answerAllows(asked.question, answer) && !changesInput(answer)
    ? { type: "allowed" }
    : { type: "refused", reason: answer.reason ?? answer.rule };
}

/** Why a call was refused, for its caller. */
export function refusalReason({ decision, times }: ToolCall): string | undefined {
  const { rule, reason } = decision ?? {};
  if (times.asked !== undefined) return reason ?? rule;
  return [rule === undefined ? undefined : `refused by rule ${rule}`, reason].filter(Boolean).join(": ");
}
