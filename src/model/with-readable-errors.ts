/**
 * A model whose errors are sentences for the person who must act on them. A provider's own errors carry the whole request
 * and response; this keeps one line of the message, with control characters visible and the key removed.
 */
import { APICallError } from "@ai-sdk/provider";
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { oneLine, pluralize } from "../call/index.js";
import { isNetworkError } from "./is-retryable.js";
import { ModelError } from "./model-error.js";
import type { Overflow } from "./model-error.js";
import { overflowOf } from "./overflow-of.js";
import { TruncatedResponse } from "./reject-truncated.js";
import { withoutKey } from "./without-key.js";
import { wrapModel } from "./wrap-model.js";

export type ErrorContext = {
  readonly name: string;
  readonly key: string | undefined;
  /** The source of the key. */
  readonly place: string;
  /** The address of the provider, if the user named one. */
  readonly baseUrl?: string | undefined;
};

export function withReadableErrors(model: LanguageModelV3, context: ErrorContext): LanguageModelV3 {
  const readable = async <Value>(
    ask: PromiseLike<Value>,
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    try {
      return await ask;
    } catch (error) {
      signal?.throwIfAborted();
      throw failureOf(error, context);
    }
  };
  return wrapModel(model, {
    doGenerate: (options) => readable(model.doGenerate(options), options.abortSignal),
    doStream: async (options) => {
      const result = await readable(model.doStream(options), options.abortSignal);
      return { ...result, stream: result.stream.pipeThrough(withReadableParts(context)) };
    },
  });
}

function withReadableParts(
  context: ErrorContext,
): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  const progress = new Progress();
  return new TransformStream({
    transform(part, controller) {
      progress.add(part);
      controller.enqueue(
        part.type === "error"
          ? { type: "error", error: failureOf(part.error, context, progress.text) }
          : part,
      );
    },
  });
}

/** `progress`: the part of the response that arrived before the error. */
function failureOf(
  error: unknown,
  { name, key, place, baseUrl }: ErrorContext,
  progress = NOTHING,
): ModelError {
  const detail = shownMessage(messageOf(error), key);
  const overflow = overflowOf(error);
  if (overflow) return tooLong(error, name, detail, overflow);
  if (isDropped(error))
    return new ModelError(
      "MODEL_FAILED",
      `The connection to ${name} dropped ${progress}: ` +
        `${withoutStop(detail)}. The rest of the response did not come, and none of its calls ran; try again.`,
    );
  if (!APICallError.isInstance(error))
    return new ModelError("MODEL_FAILED", `The response of ${name} broke off: ${detail}`);
  const { statusCode } = error;
  const failed = (what: string, next: string): ModelError =>
    new ModelError("MODEL_FAILED", `${name} ${what}${next}`, { statusCode });
  if (statusCode === undefined)
    return failed(
      `could not be reached at ${baseUrl ?? hostOf(error.url)}: ${detail}.`,
      baseUrl === undefined ? " No response came." : " No response came; check the base URL.",
    );
  const status = `(${statusCode}: ${detail})`;
  if (isBadKey(error))
    return failed(`did not accept the key ${status}.`, ` No response came; check ${place}.`);
  if (statusCode === 404)
    return baseUrl === undefined
      ? failed(`is not known there ${status}.`, " No response came; check the model's name.")
      : failed(
          `is not known at ${baseUrl} ${status}.`,
          " No response came; check the model's name and the base URL, which mostly ends in /v1.",
        );
  if (statusCode >= 300 && statusCode < 400)
    return failed(`has moved ${status}.`, " Redirects are not followed; name its new address.");
  if (statusCode === 429)
    return failed(`has reached its rate limit or its quota ${status}.`, " Try again later.");
  if (statusCode >= 500) return failed(`failed ${status}.`, " Try again later.");
  return failed(`rejected the request ${status}.`, " No response came.");
}

function tooLong(error: unknown, name: string, detail: string, overflow: Overflow): ModelError {
  const statusCode = APICallError.isInstance(error) ? error.statusCode : undefined;
  const status = statusCode === undefined || statusCode === 200 ? detail : `${statusCode}: ${detail}`;
  return new ModelError(
    "PROMPT_TOO_LONG",
    `${name} refused the prompt as too long (${status}). No response came; send less at once, or start a new session.`,
    { overflow, statusCode },
  );
}

/** The provider had accepted the request, and then its stream ended or could not be read. */
const isDropped = (error: unknown): boolean =>
  APICallError.isInstance(error)
    ? error.statusCode !== undefined && error.statusCode < 300
    : error instanceof TruncatedResponse || isNetworkError(error);

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, "");

const NOTHING = "before the first word";

/** The arrived part of a response: its text, and the call whose input was streaming. */
class Progress {
  #words = 0;
  #isInWord = false;
  readonly #openCalls = new Map<string, string>();

  add(part: LanguageModelV3StreamPart): void {
    if (part.type === "text-delta") this.#addText(part.delta);
    if (part.type === "tool-input-start") this.#openCalls.set(part.id, part.toolName);
    if (part.type === "tool-call") this.#openCalls.delete(part.toolCallId);
  }

  get text(): string {
    const [tool] = this.#openCalls.values();
    const words = this.#words === 0 ? "" : `after ${pluralize(this.#words, "word")}`;
    if (tool === undefined) return words || NOTHING;
    return `${words && `${words}, `}in the input of its call of ${oneLine(tool, 100)}`;
  }

  #addText(text: string): void {
    const words = text.match(/\S+/g)?.length ?? 0;
    this.#words += words - (this.#isInWord && /^\S/.test(text) ? 1 : 0);
    if (text !== "") this.#isInWord = /\S$/.test(text);
  }
}

/** Google reports a bad key with status 400. */
const isBadKey = ({ statusCode, responseBody }: APICallError): boolean =>
  statusCode === 401 || statusCode === 403 || responseBody?.includes("API_KEY_INVALID") === true;

/** One line of the provider's message, without the key. */
export const shownMessage = (text: string, key: string | undefined): string =>
  oneLine(key === undefined ? text : withoutKey(text, key), 300);

function messageOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return typeof error === "string" ? error : "no reason was given";
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "its address");
