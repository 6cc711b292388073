/**
 * The token usage of a response, in the same fields for every provider, and its cost. Cached and cache-written tokens
 * count as input, reasoning tokens as output.
 */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { checkOptions, OBJECT, required } from "../call/check-options.js";
import type { Usage } from "../call/index.js";
import type { ModelPrice } from "./known-models.js";

/** The usage in the part that ends a response; undefined for other parts, and when the provider reports none. */
export function usageOf(part: LanguageModelV3StreamPart): Usage | undefined {
  if (part.type !== "finish") return undefined;
  const { inputTokens: input, outputTokens: output } = part.usage;
  const usage = {
    ...count("inputTokens", input.total),
    ...count("outputTokens", output.total),
    ...count("reasoningTokens", output.reasoning),
    ...count("cachedTokens", input.cacheRead),
    ...count("cacheWrittenTokens", input.cacheWrite),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** In US dollars; undefined when the price, the price of such a long input, or the usage is not known. */
export function costOf(usage: Usage, price: ModelPrice | undefined): number | undefined {
  checkOptions("costOf", { usage, price }, { usage: required(OBJECT), price: OBJECT });
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

/** The numbers come from the provider: an invalid count is ignored. */
const count = (name: keyof Usage, tokens: number | undefined): Usage =>
  tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 ? { [name]: tokens } : {};
