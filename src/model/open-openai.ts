/** OpenAI's models, over the Responses API. The history is ours and is sent each time: nothing need be kept there. */
import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { directFetch } from "./provider-settings.js";
import type { ProviderSettings } from "./provider-settings.js";
import { wrapModel } from "./wrap-model.js";

export async function openOpenAi({ modelId, key, baseUrl }: ProviderSettings): Promise<LanguageModelV3> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  // Spelled out, or the package would look into the environment itself.
  const baseURL = baseUrl ?? "https://api.openai.com/v1";
  const model = createOpenAI({ apiKey: key ?? "", baseURL, fetch: directFetch }).responses(modelId);
  return wrapModel(model, {
    doGenerate: (options) => model.doGenerate(notStored(options)),
    doStream: (options) => model.doStream(notStored(options)),
  });
}

function notStored(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.["openai"] } },
  };
}
