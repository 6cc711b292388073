/**
 * Opens a provider's model. The package of a provider is loaded only when it is used, so nobody waits for the others. The
 * addresses are written out, or a package would look into the environment itself.
 */
import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { ProviderName } from "./model-name.js";
import { wrapModel } from "./wrap-model.js";

type ProviderSettings = {
  readonly modelId: string;
  readonly key: string | undefined;
  readonly baseUrl: string | undefined;
};

export function openProvider(provider: ProviderName, settings: ProviderSettings): Promise<LanguageModelV3> {
  return OPEN[provider](settings);
}

/** A key goes only to the named address: a redirect counts as a failure. */
const directFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });

const OPEN: Readonly<Record<ProviderName, (settings: ProviderSettings) => Promise<LanguageModelV3>>> = {
  /** Over the Messages API. */
  anthropic: async ({ modelId, key, baseUrl: baseURL = "https://api.anthropic.com/v1" }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ apiKey: key ?? "", baseURL, fetch: directFetch })(modelId);
  },
  /** Over the Responses API. The history is ours and is sent each time: nothing need be kept there. */
  openai: async ({ modelId, key, baseUrl: baseURL = "https://api.openai.com/v1" }) => {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const model = createOpenAI({ apiKey: key ?? "", baseURL, fetch: directFetch }).responses(modelId);
    return wrapModel(model, {
      doGenerate: (options) => model.doGenerate(notStored(options)),
      doStream: (options) => model.doStream(notStored(options)),
    });
  },
  /** Over the Generative Language API. */
  google: async ({ modelId, key, baseUrl: baseURL = "https://generativelanguage.googleapis.com/v1beta" }) => {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return createGoogleGenerativeAI({ apiKey: key ?? "", baseURL, fetch: directFetch })(modelId);
  },
  /** Servers with OpenAI's chat completions API: Ollama, vLLM, LM Studio, llama.cpp, gateways. */
  "openai-compatible": async ({ modelId, key, baseUrl: baseURL = "" }) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const access = { baseURL, fetch: directFetch, ...(key !== undefined && { apiKey: key }) };
    return createOpenAICompatible({ name: "openai-compatible", includeUsage: true, ...access })(modelId);
  },
};

function notStored(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.["openai"] } },
  };
}
