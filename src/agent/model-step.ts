/** One answer of the model in a turn: streamed into the log as it comes, then submitted to the gate as a whole. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { thoughtIdOf } from "../call/index.js";
import { currentPrompt } from "./current-prompt.js";
import { streamStep } from "./streamed-step.js";
import type { BrokenStep, HearWords } from "./streamed-step.js";
import type { TurnContext } from "./turn.js";

export type StepEnd = { readonly status: "made" } | BrokenStep;

/** `prompt`: what the model is told, where that is known already. */
export async function modelStep(
  context: TurnContext,
  turnId: string,
  signal: AbortSignal,
  prompt?: LanguageModelV3Prompt,
): Promise<StepEnd> {
  const { record, gate, toolbox, now } = context;
  // Unique even when a step is taken again after a crash, so that its text is not joined to the lost one's.
  const stepId = `step_${record.seq + 1}`;
  const hear: HearWords = (role, text) => ({
    type: "message-chunk",
    at: now(),
    messageId: role === "agent" ? stepId : thoughtIdOf(stepId),
    role,
    block: { type: "text", text },
  });
  const told = prompt ? Promise.resolve(prompt) : currentPrompt(context);
  const step = await streamStep(context, { prompt: told, tools: toolbox.list(), hear }, signal);
  if (step.broken) return step.broken;
  await gate.submit(step.requests, (toolCallIds) => [
    ...step.unfinishedDrafts(),
    { type: "step-ended", at: now(), turnId, stepId, toolCallIds, ...step.about(toolCallIds) },
    // An answer without calls is the turn's last: both are one append, and so is what they cost.
    ...(toolCallIds.length > 0 || signal.aborted
      ? []
      : [{ type: "turn-stopped", at: now(), turnId, stopReason: "end_turn" } as const]),
  ]);
  return { status: "made" };
}
