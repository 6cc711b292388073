/**
 * How much of a conversation the model takes. When the model refuses a prompt for its length, its window is taken to be
 * smaller from then on; the log has the window that was learnt.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Usage } from "../call/index.js";
import type { Overflow } from "../model/index.js";
import { resultCharactersFor } from "./create-agent.js";
import { modelName } from "./streamed-response.js";
import type { TurnContext } from "./advance-turn.js";

/** The share of the window that a prompt may fill. The rest is for the response and for estimation errors. */
const FULL = 0.75;
/** A rough average over languages and code. A provider's own count is used where it is larger. */
export const CHARACTERS_PER_TOKEN = 3.5;

/** Whether the model's window is so full that the session must be compacted. `last`: the usage of the last response. */
export function fillsWindow(
  prompt: LanguageModelV3Prompt,
  contextWindow: number,
  last: Usage | undefined,
): boolean {
  return Math.max(tokensOf(prompt), last?.inputTokens ?? 0) >= contextWindow * FULL;
}

/** An estimate. Each step makes one of the whole conversation, so no text is read for it: only its length counts. */
export const tokensOf = (prompt: LanguageModelV3Prompt): number =>
  charactersIn(prompt, scaledDown) / CHARACTERS_PER_TOKEN;

type ImageSize = (data: unknown) => number;

/** Providers scale an image down, and take it for this many tokens at the most, about. */
const IMAGE_TOKENS = 1600;
const scaledDown: ImageSize = () => IMAGE_TOKENS * CHARACTERS_PER_TOKEN;
const inFull: ImageSize = (data) => (typeof data === "string" ? data.length : 0);

/** About the length of a value as JSON, without the escapes in its texts. */
function charactersIn(value: unknown, imageSize: ImageSize): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (isImage(value)) return imageSize(value.data);
  let sum = 2;
  if (Array.isArray(value)) for (const item of value) sum += charactersIn(item, imageSize) + 1;
  else
    for (const [name, part] of Object.entries(value)) sum += name.length + 4 + charactersIn(part, imageSize);
  return sum;
}

const isImage = (value: object): value is { readonly data: unknown } =>
  "mediaType" in value &&
  "data" in value &&
  typeof value.mediaType === "string" &&
  value.mediaType.startsWith("image/");

/** The agent's own limits, or smaller ones where the model has refused a prompt. */
export function promptLimits({ agent, record }: TurnContext): {
  readonly contextWindow: number;
  readonly maxResultCharacters: number;
} {
  const learnt = record.book.learntWindow(modelName(agent.model));
  const { contextWindow, maxResultCharacters } = agent;
  if (learnt === undefined || learnt >= contextWindow) return { contextWindow, maxResultCharacters };
  return {
    contextWindow: learnt,
    maxResultCharacters: Math.min(maxResultCharacters, resultCharactersFor(learnt)),
  };
}

/**
 * Takes a refusal as the size of the model's window, in tokens by our own estimate: where the provider counts more, its
 * limit is scaled down. A refused prompt of text counts as too long, so the next one is smaller.
 */
export async function learnWindow(
  context: TurnContext,
  prompt: LanguageModelV3Prompt,
  overflow: Overflow,
): Promise<void> {
  const { agent, record, now } = context;
  const { contextWindow: named = Infinity } = overflow;
  // A server that names no tokens may have counted the bytes of an image.
  const estimate = named < Infinity ? tokensOf(prompt) : charactersIn(prompt, inFull) / CHARACTERS_PER_TOKEN;
  const { promptTokens = estimate } = overflow;
  const scale = Math.min(1, estimate / Math.max(1, promptTokens));
  const contextWindow = Math.max(1, Math.floor(Math.min(named * scale, estimate)));
  if (contextWindow >= promptLimits(context).contextWindow) return;
  const model = modelName(agent.model);
  await record.append([{ type: "window-learnt", at: now(), model, contextWindow }], { durable: true });
}
