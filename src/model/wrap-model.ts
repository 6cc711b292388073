/** Replaces the request methods of a model. (Not a spread: a provider's model is a class, and its fields are getters.) */
import type { LanguageModelV3 } from "@ai-sdk/provider";

export function wrapModel(
  model: LanguageModelV3,
  methods: Pick<LanguageModelV3, "doGenerate" | "doStream">,
): LanguageModelV3 {
  const { provider, modelId, supportedUrls } = model;
  return { specificationVersion: "v3", provider, modelId, supportedUrls, ...methods };
}
