/** What an answer used, in the same words for every provider. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { ModelPrice } from "./known-models.js";

/** In tokens. `cached` and `cacheWritten` are parts of `input`, `reasoning` is a part of `output`. */
export type ModelUsage = {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cached: number;
  readonly cacheWritten: number;
};

/** Of the part that ends an answer; undefined for every other, and where the provider does not say. */
export function usageOf(part: LanguageModelV3StreamPart): ModelUsage | undefined {
  if (part.type !== "finish") return undefined;
  const { inputTokens, outputTokens } = part.usage;
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  return {
    input: count(inputTokens.total),
    output: count(outputTokens.total),
    reasoning: count(outputTokens.reasoning),
    cached: count(inputTokens.cacheRead),
    cacheWritten: count(inputTokens.cacheWrite),
  };
}

/** In US dollars; undefined where the price is not known, for such a long input among others. */
export function costOf(usage: ModelUsage, price: ModelPrice | undefined): number | undefined {
  if (!price || usage.input > (price.upToInput ?? Number.POSITIVE_INFINITY)) return undefined;
  const { input, output, cached, cacheWritten } = usage;
  const fresh = Math.max(0, input - cached - cacheWritten);
  const perMillion =
    fresh * price.input +
    cached * (price.cached ?? price.input) +
    cacheWritten * (price.cacheWritten ?? price.input) +
    output * price.output;
  return perMillion / 1_000_000;
}

/** The numbers are the provider's: what is no count counts as none. */
const count = (tokens: number | undefined): number =>
  tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
