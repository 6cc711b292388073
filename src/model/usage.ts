/**
 * What an answer used, in the same words for every provider, and what that costs. Cached and cache-written tokens
 * are among the input, reasoning tokens among the output.
 */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { Usage } from "../call/index.js";
import type { ModelPrice } from "./known-models.js";

/** Of the part that ends an answer; undefined for every other, and where the provider says nothing. */
export function usageOf(part: LanguageModelV3StreamPart): Usage | undefined {
  if (part.type !== "finish") return undefined;
  const { inputTokens: input, outputTokens: output } = part.usage;
  const told = {
    ...count("inputTokens", input.total),
    ...count("outputTokens", output.total),
    ...count("reasoningTokens", output.reasoning),
    ...count("cachedTokens", input.cacheRead),
    ...count("cacheWrittenTokens", input.cacheWrite),
  };
  return Object.keys(told).length === 0 ? undefined : told;
}

/** In US dollars; undefined where the price, or the price of so long an input, or what was used is not known. */
export function costOf(usage: Usage, price: ModelPrice | undefined): number | undefined {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWrittenTokens = 0 } = usage;
  if (!price || inputTokens === undefined || outputTokens === undefined) return undefined;
  if (inputTokens > (price.upToInput ?? Number.POSITIVE_INFINITY)) return undefined;
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWrittenTokens);
  const perMillion =
    fresh * price.input +
    cachedTokens * (price.cached ?? price.input) +
    cacheWrittenTokens * (price.cacheWritten ?? price.input) +
    outputTokens * price.output;
  return perMillion / 1_000_000;
}

/** The numbers are the provider's: what is no count was not told. */
const count = (name: keyof Usage, tokens: number | undefined): Usage =>
  tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 ? { [name]: tokens } : {};
