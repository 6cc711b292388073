/**
 * Notes on a request that its prompt does not hold, in `providerOptions.toolgate`. A provider ignores the options of
 * others; the scripted model finds its place by them.
 */
import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";

export type RequestNotes = {
  /** Set when the model is asked for a summary of the prompt. */
  readonly isSummary?: boolean;
  /** For each response that a summary replaces, the oldest first: whether one of its calls was not done. */
  readonly compacted?: readonly boolean[];
};

type ProviderOptions = NonNullable<LanguageModelV3CallOptions["providerOptions"]>;

export function asProviderOptions({ isSummary = false, compacted = [] }: RequestNotes): ProviderOptions {
  return { toolgate: { isSummary, compacted: [...compacted] } };
}

export function requestNotes({ providerOptions }: LanguageModelV3CallOptions): Required<RequestNotes> {
  const { isSummary, compacted } = providerOptions?.["toolgate"] ?? {};
  return {
    isSummary: isSummary === true,
    compacted: Array.isArray(compacted) ? compacted.map((isTrouble) => isTrouble === true) : [],
  };
}
