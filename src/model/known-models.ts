/**
 * Known models: their context windows and their prices.
 *
 * Gathered on 15 November 2026 from public pages, not all of them the providers' own, and checked against no
 * bill. The list goes out of date, so a cost made of it is an estimate. US dollars per million
 * tokens, the plain rate; cache writes at the rate of the short-lived cache. Where a context window is not
 * certain, the list has the smaller one. A model without a certain price has none here.
 */
import { checkOptions, required, STRING } from "../call/check-options.js";
import { PROVIDERS } from "./model-name.js";
import type { ModelName, ProviderName } from "./model-name.js";

export type ModelPrice = {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache. */
  readonly cached?: number;
  readonly cacheWritten?: number;
  /** Longer inputs cost more; their price is not listed. */
  readonly upToInput?: number;
};

export const PRICES_AS_OF = "2026-11-15";

/** Few current models have less. */
export const DEFAULT_CONTEXT_WINDOW = 128_000;

type KnownModel = { readonly contextWindow?: number; readonly price?: ModelPrice };

const claude = (input: number, output: number, cached: number, contextWindow: number): KnownModel => ({
  contextWindow,
  price: { input, output, cached, cacheWritten: input * 1.25 },
});

const gpt = (input: number, output: number, cached: number, more: Partial<KnownModel> = {}): KnownModel => ({
  price: { input, output, cached },
  ...more,
});

const gemini = (input: number, output: number, cached: number, upToInput?: number): KnownModel => ({
  contextWindow: 1_048_576,
  price: { input, output, cached, ...(upToInput !== undefined && { upToInput }) },
});

const MODELS: ReadonlyMap<ProviderName, ReadonlyMap<string, KnownModel>> = new Map([
  [
    "anthropic",
    new Map([
      ["claude-fable-5-1", claude(10, 50, 0.25, 1_000_000)],
      ["claude-opus-5-5", claude(4, 20, 0.2, 1_000_000)],
      ["claude-opus-5", claude(5, 25, 0.5, 1_000_000)],
      ["claude-opus-4-8", claude(5, 25, 0.5, 200_000)],
      ["claude-opus-4-7", claude(5, 25, 0.5, 200_000)],
      ["claude-opus-4-6", claude(5, 25, 0.5, 200_000)],
      ["claude-opus-4-5", claude(5, 25, 0.5, 200_000)],
      // The provider's page and later reports disagree about the price of reading the cache.
      ["claude-sonnet-5-5", { contextWindow: 1_000_000 }],
      ["claude-sonnet-5", claude(2, 10, 0.2, 1_000_000)],
      ["claude-sonnet-4-6", claude(3, 15, 0.3, 200_000)],
      ["claude-sonnet-4-5", claude(3, 15, 0.3, 200_000)],
      ["claude-haiku-4-5", claude(1, 5, 0.1, 200_000)],
    ]),
  ],
  [
    "openai",
    new Map([
      [
        "gpt-6.1-sol",
        { price: { input: 2, output: 10, cached: 0.1, cacheWritten: 2.5, upToInput: 272_000 } },
      ],
      ["gpt-6-sol", { price: { input: 2, output: 10, cached: 0.2, cacheWritten: 2.5, upToInput: 272_000 } }],
      [
        "gpt-6-luna",
        { price: { input: 0.1, output: 0.5, cached: 0.01, cacheWritten: 0.125, upToInput: 272_000 } },
      ],
      ["gpt-5.4", { price: { input: 2.5, output: 15, cached: 0.25, upToInput: 272_000 } }],
      ["gpt-5.1", gpt(1.25, 10, 0.125, { contextWindow: 400_000 })],
      ["gpt-5", gpt(1.25, 10, 0.125, { contextWindow: 400_000 })],
      ["gpt-5-mini", gpt(0.25, 2, 0.025, { contextWindow: 400_000 })],
      ["gpt-5-nano", gpt(0.05, 0.4, 0.005, { contextWindow: 400_000 })],
      ["gpt-4.1", gpt(2, 8, 0.5, { contextWindow: 1_047_576 })],
      ["gpt-4.1-mini", gpt(0.4, 1.6, 0.1, { contextWindow: 1_047_576 })],
      ["gpt-4o", gpt(2.5, 10, 1.25)],
      ["gpt-4o-mini", gpt(0.15, 0.6, 0.075)],
    ]),
  ],
  [
    "google",
    new Map([
      ["gemini-3.1-pro-preview", gemini(2, 12, 0.2, 200_000)],
      ["gemini-3-pro-preview", gemini(2, 12, 0.2, 200_000)],
      ["gemini-3-flash-preview", gemini(0.5, 3, 0.05)],
      ["gemini-2.5-pro", gemini(1.25, 10, 0.125, 200_000)],
      ["gemini-2.5-flash", gemini(0.3, 2.5, 0.03)],
      ["gemini-2.5-flash-lite", gemini(0.1, 0.4, 0.01)],
    ]),
  ],
]);

export type ListedModel = ModelName & KnownModel;

/** All models of the list, by provider. */
export const knownModels = (): readonly ListedModel[] =>
  [...MODELS].flatMap(([provider, models]) =>
    [...models].map(([modelId, facts]) => ({ provider, modelId, ...facts })),
  );

/** The price by the full name; undefined also for an unknown provider. */
export function knownPrice(name: string): ModelPrice | undefined {
  checkOptions("knownPrice", { name }, { name: required(STRING) });
  const provider = PROVIDERS.find((one) => name.startsWith(`${one}/`));
  return provider && priceOf({ provider, modelId: name.slice(provider.length + 1) });
}

export const priceOf = (name: ModelName): ModelPrice | undefined => known(name)?.price;

export const contextWindowOf = (name: ModelName): number =>
  known(name)?.contextWindow ?? DEFAULT_CONTEXT_WINDOW;

/** Finds a model by its name, with or without a date. `gpt-5-pro` is not a version of `gpt-5`: it costs ten times as much. */
function known({ provider, modelId }: ModelName): KnownModel | undefined {
  return MODELS.get(provider)?.get(modelId.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, ""));
}
