/**
 * Makes room when the model's window fills: the model itself sums up what happened so far, and from then on is
 * told that in place of it. The log keeps everything; what a person sees does not change.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { partsOf, unlessAborted } from "./answer-stream.js";
import { promptFromSession } from "./prompt-from-session.js";
import type { TurnContext } from "./turn.js";

/** How full the window may be before room is made. The rest is for the answer, and for what was estimated wrongly. */
const FULL = 0.75;
/** Roughly, over languages and code; a provider's own count is taken where there is one. */
const CHARACTERS_PER_TOKEN = 3.5;

export async function compactIfFull(context: TurnContext, signal: AbortSignal): Promise<void> {
  const { agent, record, instructions, now } = context;
  const session = record.book.snapshot();
  const last = session.steps.at(-1);
  // What was just compacted cannot be made smaller, and a first step has nothing before it.
  if (!last || last.stepId === session.compaction?.throughStepId) return;
  const prompt = promptFromSession(session, {
    instructions: await instructions(),
    longestResult: agent.longestResult,
  });
  if (Math.max(tokensOf(prompt), last.usage?.inputTokens ?? 0) < agent.contextWindow * FULL) return;
  const summary = await summed(context, prompt, signal);
  if (summary === "") return;
  await record.record([{ type: "context-compacted", at: now(), throughStepId: last.stepId, summary }], {
    durable: true,
  });
}

function tokensOf(prompt: LanguageModelV3Prompt): number {
  return JSON.stringify(prompt).length / CHARACTERS_PER_TOKEN;
}

/** Empty when the model did not manage it: then the turn goes on as long as its provider takes it. */
async function summed(
  { agent }: TurnContext,
  prompt: LanguageModelV3Prompt,
  signal: AbortSignal,
): Promise<string> {
  try {
    const asked = agent.model.doStream({
      prompt: [...prompt, { role: "user", content: [{ type: "text", text: REQUEST }] }],
      abortSignal: signal,
    });
    const { stream } = await unlessAborted(asked, signal);
    let text = "";
    let isWhole = false;
    for await (const part of partsOf(stream, signal)) {
      if (part.type === "error") return "";
      if (part.type === "text-delta") text += part.delta;
      if (part.type === "finish") isWhole = part.finishReason.unified === "stop";
    }
    // Half a summary would be taken for all that happened.
    return isWhole ? text.trim() : "";
  } catch {
    return "";
  }
}

const REQUEST =
  "Sum up this conversation for yourself, since the part before this message will no longer be told to you. " +
  "Say what the user wants, what was found out and decided, which files were read and changed and how, what failed and why, " +
  "what the user allowed or refused, and what is still to be done. Use no tool; answer with the summary alone.";
