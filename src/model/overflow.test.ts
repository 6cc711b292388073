import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { overflowOf } from "./overflow.js";

const refusal = (statusCode: number, body: unknown, message = "Bad Request") =>
  new APICallError({
    message,
    statusCode,
    url: "http://localhost/v1",
    requestBodyValues: {},
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
  });

/** As the providers and servers write them. */
const REFUSALS: readonly [name: string, status: number, body: unknown, expected: object][] = [
  [
    "OpenAI chat",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9103 tokens (8900 in the messages, 203 in the functions). Please reduce the length of the messages or functions.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    { contextWindow: 8192, promptTokens: 9103 },
  ],
  [
    "OpenAI responses",
    400,
    {
      error: {
        message:
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
    {},
  ],
  [
    "Anthropic",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 208310 tokens > 200000 maximum" },
    },
    { contextWindow: 200_000, promptTokens: 208_310 },
  ],
  [
    "Anthropic, with the response",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length or `max_tokens` and try again",
      },
    },
    { contextWindow: 200_000 },
  ],
  [
    "Anthropic, in bytes",
    413,
    { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
    {},
  ],
  [
    "Google",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
    { contextWindow: 1_048_576, promptTokens: 1_196_265 },
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 10_412,
        n_ctx: 8192,
      },
    },
    { contextWindow: 8192, promptTokens: 10_412 },
  ],
  [
    "llama.cpp, older",
    500,
    {
      error: {
        code: 500,
        message: "request (10412 tokens) exceeds the available context size (8192 tokens), try increasing it",
        type: "server_error",
      },
    },
    { contextWindow: 8192, promptTokens: 10_412 },
  ],
  [
    "Ollama",
    400,
    { error: { message: "the input length exceeds the context length", type: "api_error" } },
    {},
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5200 tokens (4944 in the messages, 256 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    { contextWindow: 4096, promptTokens: 5200 },
  ],
  [
    "vLLM, newer",
    400,
    {
      error: {
        message:
          "You passed 5000 input tokens and requested 256 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3840 tokens. Please reduce the length of the input prompt.",
        type: "BadRequestError",
      },
    },
    { contextWindow: 4096, promptTokens: 5000 },
  ],
  [
    "LM Studio",
    400,
    {
      error:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
    { contextWindow: 4096 },
  ],
  [
    "OpenRouter",
    400,
    {
      error: {
        message:
          "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (149000 of text input, 1000 of tool input). Please reduce the length of either one.",
        code: 400,
      },
    },
    { contextWindow: 131_072, promptTokens: 150_000 },
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
    },
    { contextWindow: 32_768, promptTokens: 40_000 },
  ],
  [
    "xAI",
    400,
    { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    { contextWindow: 131_072, promptTokens: 537_812 },
  ],
  [
    "text-generation-inference",
    422,
    {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`",
    },
    { contextWindow: 4097 },
  ],
  ["a proxy", 413, "<html>413 Request Entity Too Large</html>", {}],
];

describe("a refusal for length", () => {
  test.each(REFUSALS)("of %s is read, with its numbers", (_name, status, body, expected) => {
    expect(overflowOf(refusal(status, body))).toEqual(expected);
  });

  test("is read inside a stream too", () => {
    const error = { type: "invalid_request_error", code: "context_length_exceeded", message: "too long" };
    expect(overflowOf(error)).toEqual({});
    expect(overflowOf(new Error("prompt is too long: 3 tokens > 2 maximum"))).toMatchObject({
      contextWindow: 2,
    });
  });
});

test.each([
  ["a bad request", 400, { error: { message: "messages: at least one message is required" } }],
  [
    "a limit per minute",
    413,
    {
      error: {
        message: "Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000",
        code: "rate_limit_exceeded",
      },
    },
  ],
  ["too many requests", 429, { error: { message: "Rate limit reached, maximum context length is 5" } }],
  ["a wrong key", 401, { error: { message: "prompt is too long" } }],
  [
    "a limit of the response",
    400,
    {
      error: {
        message: "max_tokens is too large: 99999. This model supports at most 16384 completion tokens.",
      },
    },
  ],
  ["an overload", 529, { error: { type: "overloaded_error", message: "Overloaded" } }],
])("%s is no refusal for length", (_name, status, body) => {
  expect(overflowOf(refusal(status, body))).toBeUndefined();
});

test.each([undefined, null, 7, "words", {}, new Error("no")])("%s is no refusal for length", (error) => {
  expect(overflowOf(error)).toBeUndefined();
});
