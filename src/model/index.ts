/**
 * WHO decides: the model, behind the `LanguageModelV3` interface that every provider of the AI SDK
 * speaks, and the scripted model that needs no key and no network.
 *
 * What must stay true here: a model is asked with the history and nothing else; the scripted model is
 * pure in that history, so any process can go on where another one stopped.
 */
export { parseScript } from "./script.js";
export type { Script, ScriptStep } from "./script.js";
export { scriptedModel } from "./scripted-model.js";
export type { LanguageModelV3 } from "@ai-sdk/provider";
