/** Gemini, over Google's Generative Language API. */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { directFetch } from "./provider-settings.js";
import type { ProviderSettings } from "./provider-settings.js";

export async function openGoogle({ modelId, key, baseUrl }: ProviderSettings): Promise<LanguageModelV3> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const baseURL = baseUrl ?? "https://generativelanguage.googleapis.com/v1beta";
  return createGoogleGenerativeAI({ apiKey: key ?? "", baseURL, fetch: directFetch })(modelId);
}
