/** The stored parts of a model's response to a turn, or to a sub-agent that works on a call. */
import type { Meta } from "./content.js";

/** The tokens of a model's response, as far as its provider reports them. */
export type Usage = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWrittenTokens?: number;
};

/**
 * The structure of a model's response, for the model that gave it: providers sign parts of their responses and require
 * them back unchanged. The text is not stored twice: a part of reasoning or text has only its length, and the parts of
 * a type divide the step's thoughts or text in this order.
 */
export type StepResponse = {
  /** The provider and the name of the model. No other model may get the signatures. */
  readonly model: string;
  readonly parts: readonly ResponsePart[];
};

export type ResponsePart =
  | { readonly type: "reasoning" | "text"; readonly length: number; readonly providerOptions?: Meta }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly providerOptions?: Meta };

/** One response of the sub-agent that works on a call. The text is stored here, since it is in no message. */
export type ChildStep = {
  readonly text: string;
  readonly thought?: string;
  readonly toolCallIds: readonly string[];
  readonly usage?: Usage;
  readonly answer?: StepResponse;
};
