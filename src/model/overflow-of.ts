/**
 * Reads a provider's refusal of a prompt that is too long. Few providers have a code for it: the rest is in the
 * words of their message, which differ by provider, server and version.
 */
import { APICallError } from "@ai-sdk/provider";
import { ModelError } from "./model-error.js";
import type { Overflow } from "./model-error.js";

/** Undefined for any other error. */
export function overflowOf(error: unknown): Overflow | undefined {
  if (error instanceof ModelError) return error.overflow;
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status !== undefined && !REFUSING.has(status)) return undefined;
  const text = textOf(error).slice(0, MAX_CHARACTERS).replace(THOUSANDS, "");
  // The same words, with a limit per minute instead of a window. Waiting helps, unless one request is above the limit.
  const isAboveRate = ABOVE_RATE.test(text);
  if (!isAboveRate && (status === RATE_LIMITED || RATE_LIMIT.test(text))) return undefined;
  if (status !== TOO_LARGE && !isAboveRate && !OVERFLOWS.some((pattern) => pattern.test(text)))
    return undefined;
  const contextWindow = firstNumber(text, WINDOWS);
  const promptTokens = firstNumber(text, PROMPTS);
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(promptTokens !== undefined && { promptTokens }),
  };
}

const TOO_LARGE = 413;
const RATE_LIMITED = 429;
/** 200: an error inside the stream. 500: some servers of open models. */
const REFUSING: ReadonlySet<number> = new Set([200, 400, TOO_LARGE, 422, RATE_LIMITED, 500]);
/** A refusal may repeat the prompt. */
const MAX_CHARACTERS = 10_000;

/** The comma of 8,192. */
const THOUSANDS = /(?<=(?<![\d[,])\d{1,3}(?:,\d{3})*),(?=\d{3}(?!\d))/g;

/** OpenAI, Groq. */
const ABOVE_RATE = /request too large for [^]{1,300}? on tokens per min/i;
const RATE_LIMIT = /rate.?limit|tokens per min|requests per min|quota/i;

const OVERFLOWS: readonly RegExp[] = [
  // OpenAI, Azure, Groq, OpenRouter, DeepSeek.
  /context[_ ]?(?:length|window)[_ ]?(?:is )?exceeded/i,
  /(?:maximum|max) (?:context|model|prompt) (?:length|len)/i,
  /exceeds? (?:the |this model's |its )?(?:available |maximum |max )?context (?:window|length|size|limit)/i,
  /reduce the length of (?:the|your) (?:messages|input|prompt)/i,
  // Anthropic, Amazon Bedrock.
  /(?:prompt|input|request) is too (?:long|large)|\b(?:prompt|input|conversation) too long/i,
  /request_too_large|request exceeds the maximum size/i,
  // Google.
  /exceeds the maximum number of tokens/i,
  // llama.cpp, Ollama, LM Studio, vLLM, text-generation-inference.
  /exceed_context_size_error|context size (?:has been )?exceeded/i,
  /input length exceeds (?:the )?(?:maximum )?context length/i,
  /greater than the context length|context length of only|context length is only/i,
  /tokens.{1,40}must be <= \d/i,
  // GitHub Copilot, Mistral, Kimi, MiniMax, Cohere.
  /prompt token count of \d+ exceeds the limit/i,
  /too large for model with \d+ maximum context length/i,
  /exceeded model token limit|context window exceeds limit|too many tokens/i,
  // Zhipu, Alibaba, Amazon Nova, SGLang, TensorRT-LLM, DeepInfra, AI21, IBM.
  /range of input length should be/i,
  /(?:prompt|input|inputs|total tokens)\b[^.]{0,60}?\bexceed(?:s|ing)? (?:the |model |model's )?(?:total |maximum |max|context )[^.]{0,20}(?:length|tokens)/i,
  /(?:prompt|input)[^.]{0,20}\d+ tokens\)?,? (?:is |are )?(?:longer than|exceed(?:s|ing)?) the/i,
  /tokens? (?:count )?exceeds? the model's context/i,
  // vLLM, TabbyAPI, MLX, Amazon Titan, GitHub Models, Vertex AI.
  /(?:prompt|input) (?:length|tokens?)(?: count)?\b[^.]{0,30}?\b(?:exceeds?|(?:is|are) greater than)\b/i,
  /(?:prompt|input)[^.]{0,20} tokens\)? (?:is too long|which exceeds?)/i,
  /max_tokens must be at least 1, got -\d/i,
  /too many input tokens|tokens_limit_reached|but model only supports up to \d/i,
  /cannot truncate prompt with n_keep/i,
  // Cloudflare, Snowflake.
  /exceeded (?:this|the) model(?:'s)? context window limit|max tokens of \d+ exceeded/i,
  /total (?:number of )?tokens\b[^.]{0,40}\bexceeds? the (?:maximum|max|model)|(?:prompt|input) is longer than the context/i,
  // LM Studio, Hugging Face, OpenAI.
  /reached context length|`?inputs`? must have less than \d+ tokens/i,
  /'(?:input|messages)\b[^']{0,60}': string too long/i,
];

const WINDOWS: readonly RegExp[] = [
  /max sequence length of (\d+)/i,
  /tokens per min(?:ute)? \(TPM\): Limit (\d+)/i,
  /max input tokens: (\d+)|only supports up to (\d+)|n_ctx \((\d+)\)|max_(?:seq|input)_len (\d+)/i,
  /"n_ctx"\s*:\s*(\d+)/,
  /> (\d+) maximum/,
  /exceed context limit: \d+ \+ \d+ > (\d+)/,
  /maximum number of tokens allowed \(?(\d+)/,
  /(?:maximum|max) (?:context|model|prompt) (?:length|len)(?: is| of|:) (?:only )?(\d+)/i,
  /context (?:length|size|window) (?:is |of )?(?:only )?(\d+)/i,
  /context window limit \((\d+)\)|max tokens of (\d+) exceeded/i,
  /(?:context size|(?:context|allowed) length|max_num_tokens) \((\d+)(?: tokens)?\)/i,
  /(?:maximum input length|must have less than|max size:|total tokens limit|input length should be \[\d+,) (\d+)/i,
  /with (\d+) maximum context length/i,
  /(?:limit of|limit is|exceed limit|token limit: ?|must be <=|cannot exceed|exceeds (?:the )?max(?:imum)? of) ?(\d+)(?!\d| ?(?:[kmg]i?b\b|bytes|char))/i,
];

const PROMPTS: readonly RegExp[] = [
  /"n_prompt_tokens"\s*:\s*(\d+)/,
  /(\d+) tokens > \d+ maximum/,
  /token count (?:of |\()(\d+)/i,
  /(?:request|input|input length) \((\d+) tokens\)/i,
  /(?:resulted in|requested(?: about)?|contains|passed|prompt has) (\d+) (?:input )?tokens/i,
  /Limit \d+, Requested (\d+)|token count(?: is|:) (\d+)|prompt length (\d+)|n_keep \((\d+)\)/i,
];

function firstNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  const found = patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  const digits = found?.slice(1).find((group) => group !== undefined);
  const number = Number(digits);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function textOf(error: unknown): string {
  if (APICallError.isInstance(error)) return `${error.message}\n${error.responseBody ?? ""}`;
  if (error instanceof Error) return error.message;
  if (typeof error === "string") return error;
  try {
    return JSON.stringify(error) ?? "";
  } catch {
    return "";
  }
}
