/** Servers with OpenAI's chat completions API: Ollama, vLLM, LM Studio, llama.cpp, gateways. */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { directFetch } from "./provider-settings.js";
import type { ProviderSettings } from "./provider-settings.js";

export async function openOpenAiCompatible(settings: ProviderSettings): Promise<LanguageModelV3> {
  const { modelId, key, baseUrl = "" } = settings;
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl,
    includeUsage: true,
    fetch: directFetch,
    ...(key !== undefined && { apiKey: key }),
  })(modelId);
}
