/** What is kept of an answer of the model, whoever asked for it: the turn, or a sub-agent that works on a call. */
import type { Meta } from "./content.js";

/** What an answer of the model cost, in tokens, as far as its provider says. */
export type Usage = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWrittenTokens?: number;
};

/**
 * How an answer of the model was put together, for the model that gave it: providers sign parts of their answers
 * and want them back unchanged. The words are not kept twice: a part of reasoning or text says how many characters
 * it has of the step's thoughts or words, which it shares with the other parts of its type in this order.
 */
export type StepResponse = {
  /** The provider and the name of the model. Another one must not be told what this one signed. */
  readonly model: string;
  readonly parts: readonly ResponsePart[];
};

export type ResponsePart =
  | { readonly type: "reasoning" | "text"; readonly length: number; readonly providerOptions?: Meta }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly providerOptions?: Meta };

/** One answer of the sub-agent that works on a call. Its words are told to nobody else, so they are kept here. */
export type ChildStep = {
  readonly text: string;
  readonly thought?: string;
  readonly toolCallIds: readonly string[];
  readonly usage?: Usage;
  readonly answer?: StepResponse;
};
