/** How a call that waited for a decision was decided. */
import { answerAllows } from "../call/index.js";
import type { AskedQuestion, ToolCall } from "../call/index.js";

export type Outcome =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly reason: string | undefined }
  /** Nobody will answer: the question was withdrawn. */
  | { readonly type: "cancelled" };

/** `asked`: the question that was asked about it, where a rule alone did not decide. */
export function outcomeOf(call: ToolCall, asked: AskedQuestion | undefined): Outcome {
  if (call.state.status === "refused") return { type: "refused", reason: refusalReason(call) };
  if (!asked) return { type: "allowed" };
  if (asked.state.status !== "answered") return { type: "cancelled" };
  const { answer } = asked.state;
  // A yes to another input is none for the call that its runner has.
  return answerAllows(asked.question, answer) && answer.input === undefined
    ? { type: "allowed" }
    : { type: "refused", reason: answer.reason ?? answer.rule };
}

/** Why a call was refused, for whoever made it. */
export function refusalReason({ decision, times }: ToolCall): string | undefined {
  const { rule, reason } = decision ?? {};
  if (times.asked !== undefined) return reason ?? rule;
  return [rule === undefined ? undefined : `refused by rule ${rule}`, reason].filter(Boolean).join(": ");
}
