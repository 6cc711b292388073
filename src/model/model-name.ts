/** A model's name: the provider that serves it, a slash, and what that provider calls it (which may have slashes too). */
import { oneLine } from "../call/index.js";
import { ModelError } from "./model-error.js";

export const PROVIDERS = ["anthropic", "openai", "google", "openai-compatible"] as const;

export type ProviderName = (typeof PROVIDERS)[number];

export type ModelName = { readonly provider: ProviderName; readonly modelId: string };

export function readModelName(name: string): ModelName {
  const slash = name.indexOf("/");
  const [said, modelId] = slash < 0 ? [name, ""] : [name.slice(0, slash), name.slice(slash + 1)];
  const provider = PROVIDERS.find((known) => known === said);
  if (provider !== undefined && isModelId(modelId)) return { provider, modelId };
  const what =
    provider === undefined ? "no known provider" : "no model of that provider that could be asked for";
  throw new ModelError(
    "MODEL_NAME_UNKNOWN",
    `"${oneLine(name, 80)}" names ${what}: write it as PROVIDER/MODEL, where PROVIDER is one of ${PROVIDERS.join(", ")}. No model was opened.`,
  );
}

/** It becomes a part of a URL and of header lines: one word, and no way up. */
const isModelId = (modelId: string): boolean =>
  /^[\w.:@/+-]+$/.test(modelId) && !modelId.split("/").some((part) => part === "" || /^\.+$/.test(part));
