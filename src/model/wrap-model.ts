/** A model that is asked in another way and is the same in all else. (Not a spread: a provider's model is a class, and its fields are getters.) */
import type { LanguageModelV3 } from "@ai-sdk/provider";

export function wrapModel(
  model: LanguageModelV3,
  asked: Pick<LanguageModelV3, "doGenerate" | "doStream">,
): LanguageModelV3 {
  const { provider, modelId, supportedUrls } = model;
  return { specificationVersion: "v3", provider, modelId, supportedUrls, ...asked };
}
