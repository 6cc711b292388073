/** Claude, over Anthropic's Messages API. */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { directFetch } from "./provider-settings.js";
import type { ProviderSettings } from "./provider-settings.js";

export async function openAnthropic({ modelId, key, baseUrl }: ProviderSettings): Promise<LanguageModelV3> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  // Spelled out, or the package would look into the environment itself.
  const baseURL = baseUrl ?? "https://api.anthropic.com/v1";
  return createAnthropic({ apiKey: key ?? "", baseURL, fetch: directFetch })(modelId);
}
