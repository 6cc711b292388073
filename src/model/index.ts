/**
 * WHO decides: the model, behind the `LanguageModelV3` interface of the AI SDK: providers by name, and the scripted model
 * that needs no key and no network.
 *
 * Invariants: a model gets the history and nothing else; the scripted model is a pure function of that history, so any
 * process can resume where another one stopped; a key goes to its own provider and into no message; a response is either
 * complete or an error.
 */
export { DEFAULT_CONTEXT_WINDOW, knownPrice, PRICES_AS_OF } from "./known-models.js";
export type { ModelPrice } from "./known-models.js";
export { ModelError } from "./model-error.js";
export type { ModelErrorCode, Overflow } from "./model-error.js";
export { PROVIDERS } from "./model-name.js";
export type { ProviderName } from "./model-name.js";
export { openModel } from "./open-model.js";
export type { OpenedModel, OpenModelOptions } from "./open-model.js";
export { retrying } from "./retrying.js";
export type { Retry, RetryOptions } from "./retrying.js";
export { parseScript } from "./script.js";
export type { Script, ScriptStep } from "./script.js";
export { scriptedModel } from "./scripted-model.js";
export { costOf, usageOf } from "./usage.js";
export type { LanguageModelV3 } from "@ai-sdk/provider";
