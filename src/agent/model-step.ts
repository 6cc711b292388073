/** One answer of the model in a turn: streamed into the log as it comes, then submitted to the gate as a whole. */
import { promptFromSession } from "./prompt-from-session.js";
import { modelName } from "./streamed-answer.js";
import { streamStep } from "./streamed-step.js";
import type { BrokenStep, HearWords } from "./streamed-step.js";
import type { TurnContext } from "./turn.js";

export type StepEnd = { readonly status: "made" } | BrokenStep;

export async function modelStep(context: TurnContext, turnId: string, signal: AbortSignal): Promise<StepEnd> {
  const { agent, record, gate, toolbox, instructions, now } = context;
  // Unique even when a step is taken again after a crash, so that its text is not joined to the lost one's.
  const stepId = `step_${record.seq + 1}`;
  const hear: HearWords = (role, text) => ({
    type: "message-chunk",
    at: now(),
    messageId: role === "agent" ? stepId : `${stepId}-thought`,
    role,
    block: { type: "text", text },
  });
  const prompt = async () =>
    promptFromSession(record.book.snapshot(), {
      instructions: await instructions(),
      longestResult: agent.longestResult,
      model: modelName(agent.model),
    });
  const step = await streamStep(context, { prompt: prompt(), tools: toolbox.list(), hear }, signal);
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
