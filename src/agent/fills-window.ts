/** Whether so little of the model's window is left that room must be made. */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Usage } from "../call/index.js";

/** How full the window may be before room is made. The rest is for the answer, and for what was estimated wrongly. */
const FULL = 0.75;
/** Roughly, over languages and code; a provider's own count is taken where there is one. */
const CHARACTERS_PER_TOKEN = 3.5;

/** `last`: what the answer before this prompt used. */
export function fillsWindow(
  prompt: LanguageModelV3Prompt,
  contextWindow: number,
  last: Usage | undefined,
): boolean {
  const estimate = JSON.stringify(prompt).length / CHARACTERS_PER_TOKEN;
  return Math.max(estimate, last?.inputTokens ?? 0) >= contextWindow * FULL;
}
