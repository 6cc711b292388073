/**
 * Makes room in the model's window: the model summarizes the conversation so far, and later prompts hold the summary in
 * its place. The log keeps everything; a person still sees the whole session.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Usage } from "../call/index.js";
import { usageOf } from "../model/index.js";
import { overflowOf } from "../model/overflow-of.js";
import { asProviderOptions } from "../model/scripted-model.js";
import { CHARACTERS_PER_TOKEN, promptLimits, tokensOf } from "./context-window.js";
import { resultCharactersFor } from "./create-agent.js";
import { compactedSteps, promptFromSession } from "./prompt-from-session.js";
import { readParts, unlessAborted } from "./streamed-response.js";
import { transcript } from "./transcript.js";
import type { TurnContext } from "./advance-turn.js";

/** The shares of the window for the conversation, and for a transcript of it. */
const MAX_SHARE = 0.95;
const TRANSCRIPT_SHARE = 0.75;
const MAX_SUMMARY_TRIES = 3;
export type CompactOptions = {
  /** The model refused the last request for its length: the conversation must get shorter, with or without a summary. */
  readonly isRefused?: boolean;
};

/** False when there was nothing to compact, or the model gave no whole summary. */
export async function compact(
  context: TurnContext,
  signal: AbortSignal,
  { isRefused = false }: CompactOptions = {},
): Promise<boolean> {
  const { record, instructions, now } = context;
  const session = record.book.snapshot();
  const last = session.steps.at(-1);
  // A session that was just compacted cannot get smaller, and a first step has nothing before it.
  if (!last || last.stepId === session.compaction?.throughStepId) return false;
  const { contextWindow, maxResultCharacters } = promptLimits(context);
  const prompt = promptFromSession(session, { instructions: await instructions(), maxResultCharacters });
  const { text, usage } = await summarize(context, prompt, compactedSteps(session), signal);
  if (signal.aborted) return false;
  // Without a summary, the beginning and the end of the conversation still let the turn continue.
  const summary = text === "" && isRefused ? transcript(prompt, resultCharactersFor(contextWindow)) : text;
  if (summary === "") return false;
  await record.append(
    [
      {
        type: "context-compacted",
        at: now(),
        throughStepId: last.stepId,
        summary,
        ...(usage && { usage }),
      },
    ],
    { durable: true },
  );
  return true;
}

type Summary = { readonly text: string; readonly usage?: Usage | undefined };

/** Empty when the model gave no whole summary. The turn then continues as long as its provider accepts the prompt. */
async function summarize(
  context: TurnContext,
  prompt: LanguageModelV3Prompt,
  compacted: readonly boolean[],
  signal: AbortSignal,
): Promise<Summary> {
  let maxTokens = promptLimits(context).contextWindow * MAX_SHARE;
  for (let attempt = 1; ; attempt += 1) {
    const asked = summaryPrompt(prompt, maxTokens);
    try {
      return await readSummary(context, asked, compacted, signal);
    } catch (error) {
      if (signal.aborted || attempt === MAX_SUMMARY_TRIES || !overflowOf(error)) return { text: "" };
      maxTokens = Math.min(maxTokens, tokensOf(asked)) / 2;
    }
  }
}

/** The conversation itself where it fits, since the provider may have it cached. */
function summaryPrompt(prompt: LanguageModelV3Prompt, maxTokens: number): LanguageModelV3Prompt {
  const whole = [...prompt, userMessage(REQUEST)];
  if (tokensOf(whole) <= maxTokens) return whole;
  const text = transcript(prompt, Math.floor(maxTokens * CHARACTERS_PER_TOKEN * TRANSCRIPT_SHARE));
  return [userMessage(`A conversation so far:\n\n${text}\n\n${REQUEST}`)];
}

const userMessage = (text: string): LanguageModelV3Prompt[number] => ({
  role: "user",
  content: [{ type: "text", text }],
});

async function readSummary(
  { agent }: TurnContext,
  prompt: LanguageModelV3Prompt,
  compacted: readonly boolean[],
  signal: AbortSignal,
): Promise<Summary> {
  const providerOptions = asProviderOptions({ isSummary: true, compacted });
  const asked = agent.model.doStream({ prompt, providerOptions, abortSignal: signal });
  const { stream } = await unlessAborted(asked, signal);
  let text = "";
  let isWhole = false;
  let usage: Usage | undefined;
  await readParts(stream, signal, (part) => {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") text += part.delta;
    if (part.type !== "finish") return;
    isWhole = part.finishReason.unified === "stop";
    usage = usageOf(part);
  });
  // The model would take half a summary for the whole history.
  return { text: isWhole ? text.trim() : "", usage };
}

const REQUEST =
  "Sum up this conversation for yourself, since the part before this message will no longer be shown to you. " +
  "Say what the user wants, what was found out and decided, which files were read and changed and how, what failed and why, " +
  "what the user allowed or refused, and what is still to be done. Use no tool; answer with the summary alone.";
