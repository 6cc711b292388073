/** A question as it is shown to somebody: with the call that it is about. */
import type { Question } from "./question.js";
import type { ToolCall } from "./tool-call.js";

/** The data of a call that a person needs to decide on it. */
export type QuestionCall = Pick<ToolCall, "name" | "kind" | "title" | "rawInput" | "content" | "locations">;

export type ShownQuestion = Question & { readonly call: QuestionCall };

export function shownQuestion(question: Question, call: ToolCall): ShownQuestion {
  const { name, kind, title, rawInput, content, locations } = call;
  return { ...question, call: { name, kind, title, rawInput, content, locations } };
}
