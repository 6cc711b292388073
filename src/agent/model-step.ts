/** One response of the model in a turn: its chunks go into the log as they arrive, then its calls go to the gate. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { thoughtIdOf } from "../call/index.js";
import { currentPrompt } from "./current-prompt.js";
import { streamStep } from "./streamed-step.js";
import type { BrokenStep, OnText } from "./streamed-step.js";
import type { TurnContext } from "./turn.js";

export type StepEnd = { readonly status: "made" } | BrokenStep;

/** `prompt`: the prompt, where the caller has already built it. */
export async function modelStep(
  context: TurnContext,
  turnId: string,
  signal: AbortSignal,
  prompt?: LanguageModelV3Prompt,
): Promise<StepEnd> {
  const { record, gate, toolbox, now } = context;
  // The id is unique even when a step runs again after a crash, so that its text does not join the lost step's text.
  const stepId = `step_${record.seq + 1}`;
  const onText: OnText = (role, text) => ({
    type: "message-chunk",
    at: now(),
    messageId: role === "agent" ? stepId : thoughtIdOf(stepId),
    role,
    block: { type: "text", text },
  });
  const built = prompt ? Promise.resolve(prompt) : currentPrompt(context);
  const step = await streamStep(context, { prompt: built, tools: toolbox.list(), onText }, signal);
  if (step.broken) return step.broken;
  await gate.submit(step.requests, (toolCallIds) => [
    ...step.unfinishedDrafts(),
    { type: "step-ended", at: now(), turnId, stepId, toolCallIds, ...step.about(toolCallIds) },
    // A response without calls ends the turn: one append records both.
    ...(toolCallIds.length > 0 || signal.aborted
      ? []
      : [{ type: "turn-stopped", at: now(), turnId, stopReason: "end_turn" } as const]),
  ]);
  return { status: "made" };
}
