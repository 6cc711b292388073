/**
 * Makes room when the model's window fills: the model summarizes the conversation so far, and later prompts hold the
 * summary in its place. The log keeps everything; a person still sees the whole session.
 */
import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from "@ai-sdk/provider";
import { asProviderOptions } from "../model/index.js";
import type { Usage } from "../call/index.js";
import { readParts, unlessAborted } from "./response-stream.js";
import { compactedSteps, promptFromSession } from "./prompt-from-session.js";
import { modelName } from "./streamed-response.js";
import type { TurnContext } from "./turn.js";

/** The share of the window that a prompt may fill. The rest is for the response and for estimation errors. */
const FULL = 0.75;
/** A rough average over languages and code. A provider's own count is used where it is larger. */
const CHARACTERS_PER_TOKEN = 3.5;

export type ModelRequest = Pick<LanguageModelV3CallOptions, "prompt" | "providerOptions">;

/** The next request, made from the log as it is now. The session is compacted first when its prompt fills the window. */
export async function fittingRequest(context: TurnContext, signal: AbortSignal): Promise<ModelRequest> {
  const { agent, record } = context;
  const request = await currentRequest(context);
  const last = record.book.steps.at(-1);
  // A first step has nothing before it.
  if (!last || !fillsWindow(request.prompt, agent.contextWindow, last.usage)) return request;
  return (await compact(context, signal)) ? currentRequest(context) : request;
}

/** Whether the model's window is so full that the session must be compacted. `last`: the usage of the last response. */
export function fillsWindow(
  prompt: LanguageModelV3Prompt,
  contextWindow: number,
  last: Usage | undefined,
): boolean {
  const estimate = JSON.stringify(prompt).length / CHARACTERS_PER_TOKEN;
  return Math.max(estimate, last?.inputTokens ?? 0) >= contextWindow * FULL;
}

/** The prompt holds the parts that this model signed. */
async function currentRequest({ agent, record, instructions }: TurnContext): Promise<ModelRequest> {
  const session = record.book.snapshot();
  const prompt = promptFromSession(session, {
    instructions: await instructions(),
    maxResultCharacters: agent.maxResultCharacters,
    model: modelName(agent.model),
  });
  const compacted = compactedSteps(session);
  return compacted.length === 0 ? { prompt } : { prompt, providerOptions: asProviderOptions({ compacted }) };
}

/** False when there was nothing to compact, or the model gave no whole summary. */
export async function compact(context: TurnContext, signal: AbortSignal): Promise<boolean> {
  const { agent, record, instructions, now } = context;
  const session = record.book.snapshot();
  const last = session.steps.at(-1);
  // A session that was just compacted cannot get smaller, and a first step has nothing before it.
  if (!last || last.stepId === session.compaction?.throughStepId) return false;
  const prompt = promptFromSession(session, {
    instructions: await instructions(),
    maxResultCharacters: agent.maxResultCharacters,
  });
  const summary = await summarize(context, { prompt, compacted: compactedSteps(session) }, signal);
  if (summary === "") return false;
  await record.append([{ type: "context-compacted", at: now(), throughStepId: last.stepId, summary }], {
    durable: true,
  });
  return true;
}

/** Empty when the model gave no whole summary; the turn then goes on as long as its provider accepts the prompt. */
async function summarize(
  { agent }: TurnContext,
  { prompt, compacted }: { readonly prompt: LanguageModelV3Prompt; readonly compacted: readonly boolean[] },
  signal: AbortSignal,
): Promise<string> {
  try {
    const asked = agent.model.doStream({
      prompt: [...prompt, { role: "user", content: [{ type: "text", text: REQUEST }] }],
      providerOptions: asProviderOptions({ isSummary: true, compacted }),
      abortSignal: signal,
    });
    const { stream } = await unlessAborted(asked, signal);
    let text = "";
    let isWhole = false;
    await readParts(stream, signal, (part) => {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") text += part.delta;
      if (part.type === "finish") isWhole = part.finishReason.unified === "stop";
    });
    // The model would take half a summary for the whole history.
    return isWhole ? text.trim() : "";
  } catch {
    return "";
  }
}

const REQUEST =
  "Sum up this conversation for yourself, since the part before this message will no longer be shown to you. " +
  "Say what the user wants, what was found out and decided, which files were read and changed and how, what failed and why, " +
  "what the user allowed or refused, and what is still to be done. Use no tool; answer with the summary alone.";
