/** `toolgate models`: the models that the keys which are set can reach, and those of the server that is chosen. */
import { join } from "node:path";
import { visibleText } from "../call/index.js";
import { providerKeys } from "../model/find-key.js";
import { knownModels } from "../model/known-models.js";
import type { ModelPrice } from "../model/index.js";
import { isSameProvider } from "../model/model-name.js";
import { servedModels } from "../model/served-models.js";
import { settingsFolder } from "../settings/index.js";
import type { ModelChoice } from "../settings/index.js";
import { defaultModel } from "./default-model.js";
import { jsonText } from "./json-text.js";
import { roundTokens } from "./usage-text.js";

export type ReachableModel = { readonly name: string; readonly note: string };

/** The models of a server of one's own, by the model and the address that are chosen; none where neither is local. */
export async function localModels({ model, baseUrl }: ModelChoice): Promise<readonly ReachableModel[]> {
  if (model === undefined || baseUrl === undefined || !isSameProvider(model, LOCAL)) return [];
  const names = await servedModels(model, baseUrl, { keyFile: keyFile() });
  return names.map((name) => ({ name, note: `at ${visibleText(baseUrl)}` }));
}

const LOCAL = "openai-compatible/";
const keyFile = (): string => join(settingsFolder(), "keys.json");

/** The known models of each provider that has a key. A provider has more: any of its names can be given. */
export async function reachableModels(): Promise<readonly ReachableModel[]> {
  const keys = await providerKeys({ keyFile: keyFile() });
  const providers = new Set(keys.filter(({ isSet }) => isSet).map(({ provider }) => provider));
  return knownModels()
    .filter(({ provider }) => providers.has(provider))
    .map(({ provider, modelId, contextWindow, price }) => ({
      name: `${provider}/${modelId}`,
      note: [
        ...(contextWindow === undefined ? [] : [`${roundTokens(contextWindow)} tokens`]),
        ...(price === undefined ? [] : [priceText(price)]),
      ].join(", "),
    }));
}

const priceText = ({ input, output }: ModelPrice): string => `$${input} in, $${output} out`;

export async function listModels({ json = false }: { readonly json?: boolean }): Promise<number> {
  const models = [...(await reachableModels()), ...(await localModels(defaultModel(process.cwd())))];
  const keys = await providerKeys({ keyFile: keyFile() });
  const missing = keys.filter(({ isSet }) => !isSet);
  if (json) process.stdout.write(`${jsonText({ models, missing })}\n`);
  else {
    const width = Math.max(0, ...models.map(({ name }) => name.length));
    const lines = models.map(({ name, note }) => `${name.padEnd(width)}  ${note}`.trimEnd());
    const notes = missing.map(({ provider, place }) => `${provider}: no key; set ${place}`);
    const local = `openai-compatible/<name> with --base-url reaches a server of your own, with or without a key`;
    process.stdout.write(`${[...lines, ...notes.map((line) => visibleText(line)), local].join("\n")}\n`);
  }
  return 0;
}
