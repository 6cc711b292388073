/** The cost in US dollars of responses that the archive has counted. */
import type { ModelUsage } from "../call/index.js";
import { costOf, knownPrice } from "../model/index.js";

/** Undefined when the price of one response is not known. */
export function usageCost({
  model,
  isListPriced,
  uncountedAnswers,
  maxInputTokens,
  ...used
}: ModelUsage): number | undefined {
  const price = isListPriced ? knownPrice(model) : undefined;
  if (!price || uncountedAnswers > 0 || maxInputTokens > (price.upToInput ?? Infinity)) return undefined;
  const { upToInput: _checked, ...whole } = price;
  // Cache tokens count as input.
  const inputTokens = used.freshTokens + used.cachedTokens + used.cacheWrittenTokens;
  return costOf({ ...used, inputTokens }, whole);
}
