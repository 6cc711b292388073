/** Opens a model by its name. */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { checkOptions, OBJECT, required, STRING } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import { readBaseUrl } from "./read-base-url.js";
import { withReadableErrors, shownMessage } from "./with-readable-errors.js";
import { findKey } from "./find-key.js";
import type { KeyOptions } from "./find-key.js";
import { contextWindowOf, priceOf } from "./known-models.js";
import type { ModelPrice } from "./known-models.js";
import { readModelName } from "./model-name.js";
import type { ProviderName } from "./model-name.js";
import { openProvider } from "./open-provider.js";
import { retrying } from "./retrying.js";
import type { Retry, RetryOptions } from "./retrying.js";
import { rejectTruncated } from "./reject-truncated.js";

export type OpenModelOptions = KeyOptions & {
  /** The address of the provider, including its version: `http://localhost:11434/v1`. */
  readonly baseUrl?: string;
  readonly retry?: RetryOptions;
};

const MODEL_OPTIONS: OptionChecks<OpenModelOptions> = {
  apiKey: STRING,
  env: OBJECT,
  keyFile: STRING,
  baseUrl: STRING,
  retry: OBJECT,
};

export type OpenedModel = {
  /** Retries where that helps; its errors are sentences, without the key. */
  readonly model: LanguageModelV3;
  readonly name: string;
  readonly provider: ProviderName;
  readonly modelId: string;
  /** In tokens; a cautious guess for an unknown model. */
  readonly contextWindow: number;
  /** Missing when it is unknown, and for an address that is not the provider's own. */
  readonly price?: ModelPrice;
};

export async function openModel(name: string, options: OpenModelOptions = {}): Promise<OpenedModel> {
  checkOptions("openModel", { name }, { name: required(STRING) });
  checkOptions("openModel", options, MODEL_OPTIONS);
  const modelName = readModelName(name);
  const { provider, modelId } = modelName;
  const baseUrl = readBaseUrl(modelName, options.baseUrl);
  const { key, place } = await findKey(modelName, options);
  const opened = await openProvider(provider, { modelId, key, baseUrl });
  const { onRetry, ...retry } = options.retry ?? {};
  const report =
    onRetry && ((failed: Retry) => onRetry({ ...failed, reason: shownMessage(failed.reason, key) }));
  const retried = retrying(rejectTruncated(opened), { ...retry, ...(report && { onRetry: report }) });
  const model = withReadableErrors(retried, { name, key, place, baseUrl });
  const price = baseUrl === undefined ? priceOf(modelName) : undefined;
  const contextWindow = contextWindowOf(modelName);
  return { model, name, provider, modelId, contextWindow, ...(price && { price }) };
}
