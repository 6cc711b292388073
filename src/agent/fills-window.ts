/** Whether the model's window is so full that the session must be compacted. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Usage } from "../call/index.js";

/** The share of the window that a prompt may fill. The rest is for the response and for estimation errors. */
const FULL = 0.75;
/** A rough average over languages and code. A provider's own count is used where it is larger. */
const CHARACTERS_PER_TOKEN = 3.5;

/** `last`: the token usage of the response before this prompt. */
export function fillsWindow(
  prompt: LanguageModelV3Prompt,
  contextWindow: number,
  last: Usage | undefined,
): boolean {
  const estimate = JSON.stringify(prompt).length / CHARACTERS_PER_TOKEN;
  return Math.max(estimate, last?.inputTokens ?? 0) >= contextWindow * FULL;
}
