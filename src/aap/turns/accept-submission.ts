/** Records an app's results and answers. Each counts once, so recording it again changes nothing. */
import type { AgentSession } from "../../agent/index.js";
import type { Answer, Ledger, Question, ToolCallContent } from "../../call/index.js";
import { blocksOf } from "../api/content-blocks.js";
import type { InputContent } from "../api/request-bodies.js";
import type { Checked } from "./submission.js";

export async function acceptSubmission(
  { gate, ledger }: AgentSession,
  checked: Checked,
  now: () => number,
): Promise<void> {
  for (const { toolCallId, content } of checked.results) await finish(gate, toolCallId, content);
  await acceptAnswers(ledger, checked, now);
  for (const { toolCallId, reason } of checked.stopped)
    await gate.cancelCall(toolCallId, reason ?? "the app denied it while it was being worked on.");
}

export async function acceptAnswers(
  ledger: Ledger,
  { answers }: Pick<Checked, "answers">,
  now: () => number,
): Promise<void> {
  for (const { question, permission } of answers)
    await ledger.answer(question.questionId, plainAnswer(question, permission, now()));
}

/** Remarks of a person on a yes or no. */
export type AnswerRemarks = Pick<Answer, "reason" | "input" | "keptHunks" | "who">;

/** A yes or no for this one call. */
export function plainAnswer(
  { intentHash, options }: Question,
  { granted, ...remarks }: AnswerRemarks & { readonly granted: boolean },
  at: number,
): Answer {
  const option = options.find(({ kind }) => kind === (granted ? "allow_once" : "reject_once"));
  return {
    outcome: option ? { type: "selected", optionId: option.optionId } : { type: "refused" },
    intentHash,
    by: "person",
    at,
    ...remarksOf(remarks),
  };
}

export function remarksOf({ reason, input, keptHunks, who }: AnswerRemarks): AnswerRemarks {
  return {
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input }),
    ...(keptHunks !== undefined && { keptHunks }),
    ...(who !== undefined && { who }),
  };
}

/** The blocks are kept beside the text that the model gets. */
async function finish(gate: AgentSession["gate"], toolCallId: string, content: InputContent): Promise<void> {
  if (typeof content === "string") return gate.finishForApp(toolCallId, content);
  const blocks = blocksOf(content);
  const words = blocks.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
  const shown = blocks.map((block): ToolCallContent => ({ type: "content", content: block }));
  await gate.finishForApp(toolCallId, words, shown);
}
