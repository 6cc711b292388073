/** A model's name: the provider, a slash, and the provider's own name of the model (which may have slashes too). */
import { oneLine } from "../call/index.js";
import { ModelError } from "./model-error.js";
import { similarName } from "./similar-name.js";

export const PROVIDERS = ["anthropic", "openai", "google", "openai-compatible"] as const;

export type ProviderName = (typeof PROVIDERS)[number];

export type ModelName = { readonly provider: ProviderName; readonly modelId: string };

export function readModelName(name: string): ModelName {
  const slash = name.indexOf("/");
  const [prefix, modelId] = slash < 0 ? [name, ""] : [name.slice(0, slash), name.slice(slash + 1)];
  const provider = PROVIDERS.find((known) => known === prefix);
  if (provider !== undefined && isModelId(modelId)) return { provider, modelId };
  const similar = provider === undefined ? similarName(prefix, PROVIDERS) : undefined;
  const meant = similar === undefined ? "" : ` (Did you mean ${similar}?)`;
  const what =
    provider === undefined ? "no known provider" : "no model of that provider that could be asked for";
  throw new ModelError(
    "MODEL_NAME_UNKNOWN",
    `"${oneLine(name, 80)}" names ${what}${meant}: write it as PROVIDER/MODEL, where PROVIDER is one of ${PROVIDERS.join(", ")}. No model was opened.`,
  );
}

/** Whether both names have the same provider, so that an address of the one is an address for the other. */
export const isSameProvider = (one: string, other: string): boolean =>
  one.slice(0, one.indexOf("/") + 1) === other.slice(0, other.indexOf("/") + 1);

/** The id becomes part of a URL and of headers: one word, without `..` segments. */
export const isModelId = (modelId: string): boolean =>
  /^[\w.:@/+-]+$/.test(modelId) && !modelId.split("/").some((part) => part === "" || /^\.+$/.test(part));
