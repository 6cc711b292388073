/**
 * A model whose errors are sentences for the person who must act on them. Providers' own errors carry the
 * whole request and whatever the other side wrote; of these only a line of the message is kept, made
 * visible, with the key taken out should it stand there.
 */
import { APICallError } from "@ai-sdk/provider";
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { oneLine } from "../call/index.js";
import { ModelError } from "./model-error.js";
import { wrapModel } from "./wrap-model.js";

export type ErrorContext = {
  readonly name: string;
  readonly key: string | undefined;
  /** Where the key is from. */
  readonly place: string;
  /** Where the provider is asked, if somebody named it. */
  readonly baseUrl?: string | undefined;
};

export function withReadableErrors(model: LanguageModelV3, context: ErrorContext): LanguageModelV3 {
  const inWords = async <Value>(ask: PromiseLike<Value>, signal: AbortSignal | undefined): Promise<Value> => {
    try {
      return await ask;
    } catch (error) {
      signal?.throwIfAborted();
      throw failureOf(error, context);
    }
  };
  const transform = (
    part: LanguageModelV3StreamPart,
    controller: TransformStreamDefaultController<LanguageModelV3StreamPart>,
  ): void =>
    controller.enqueue(
      part.type === "error" ? { type: "error", error: failureOf(part.error, context) } : part,
    );
  return wrapModel(model, {
    doGenerate: (options) => inWords(model.doGenerate(options), options.abortSignal),
    doStream: async (options) => {
      const result = await inWords(model.doStream(options), options.abortSignal);
      return { ...result, stream: result.stream.pipeThrough(new TransformStream({ transform })) };
    },
  });
}

function failureOf(error: unknown, { name, key, place, baseUrl }: ErrorContext): ModelError {
  const said = shownMessage(messageOf(error), key);
  if (!APICallError.isInstance(error))
    return new ModelError("MODEL_FAILED", `The response of ${name} broke off: ${said}`);
  const { statusCode } = error;
  const told = (what: string, next: string): ModelError =>
    new ModelError("MODEL_FAILED", `${name} ${what}${next}`, { statusCode });
  if (statusCode === undefined)
    return told(
      `could not be reached at ${baseUrl ?? hostOf(error.url)}: ${said}.`,
      baseUrl === undefined ? " No response came." : " No response came; check the base URL.",
    );
  const answer = `(${statusCode}: ${said})`;
  if (isBadKey(error))
    return told(`did not accept the key ${answer}.`, ` No response came; check ${place}.`);
  if (statusCode === 404)
    return baseUrl === undefined
      ? told(`is not known there ${answer}.`, " No response came; check the model's name.")
      : told(
          `is not known at ${baseUrl} ${answer}.`,
          " No response came; check the model's name and the base URL, which mostly ends in /v1.",
        );
  if (statusCode >= 300 && statusCode < 400)
    return told(`has moved ${answer}.`, " Redirects are not followed; name its new address.");
  if (statusCode === 429)
    return told(`has reached its rate limit or its quota ${answer}.`, " Try again later.");
  if (statusCode >= 500) return told(`failed ${answer}.`, " Try again later.");
  return told(`rejected the request ${answer}.`, " No response came.");
}

/** Google tells of a bad key with a 400. */
const isBadKey = ({ statusCode, responseBody }: APICallError): boolean =>
  statusCode === 401 || statusCode === 403 || responseBody?.includes("API_KEY_INVALID") === true;

/** A line of what the other side said, with nothing hidden in it but the key. */
export const shownMessage = (text: string, key: string | undefined): string =>
  oneLine(key === undefined ? text : text.replaceAll(key, "[key]"), 300);

function messageOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return typeof error === "string" ? error : "no reason was given";
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "its address");
