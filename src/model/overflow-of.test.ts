import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { overflowOf } from "./overflow-of.js";

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

/** Only the message differs; `{ error: { message } }` around it. */
const MESSAGES: readonly [name: string, status: number, message: string, expected: object][] = [
  ["Amazon Bedrock", 400, "Input is too long for requested model.", {}],
  [
    "Amazon Nova",
    400,
    "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    {},
  ],
  ["Zhipu", 400, "Prompt exceeds max length", {}],
  [
    "Alibaba",
    400,
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    { contextWindow: 129_024 },
  ],
  [
    "Fireworks",
    400,
    "The prompt is too long: 150000, model maximum context length: 131071",
    { contextWindow: 131_071 },
  ],
  [
    "SGLang",
    400,
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    { contextWindow: 8192, promptTokens: 9000 },
  ],
  [
    "SGLang, newer",
    400,
    "Input length (9000 tokens) exceeds the maximum allowed length (8192 tokens). Use a shorter input or enable --allow-auto-truncate.",
    { contextWindow: 8192, promptTokens: 9000 },
  ],
  [
    "TensorRT-LLM",
    400,
    "The sum of prompt length (5000), query length (0) should not exceed max_num_tokens (4096)",
    { contextWindow: 4096 },
  ],
  [
    "DeepInfra",
    400,
    "Requested input length 9000 exceeds maximum input length 8191",
    { contextWindow: 8191 },
  ],
  ["AI21", 422, "Prompt is 9000 tokens, exceeding the limit of 8192", { contextWindow: 8192 }],
  [
    "IBM",
    400,
    "Invalid input argument for Model 'x': the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
    { contextWindow: 4096 },
  ],
  [
    "Hugging Face",
    422,
    "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
    { contextWindow: 4096 },
  ],
  [
    "LM Studio, in the middle of a response",
    400,
    "Reached context length of 4096 tokens with this model, but this model does not currently support mid-generation context overflow.",
    { contextWindow: 4096 },
  ],
  [
    "OpenAI, one request above the limit per minute",
    429,
    "Request too large for gpt-x in organization org-1 on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.",
    { contextWindow: 30_000, promptTokens: 50_000 },
  ],
  [
    "Groq, the same",
    413,
    "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.",
    { contextWindow: 6000, promptTokens: 9000 },
  ],
  [
    "vLLM's engine",
    400,
    "Input prompt (9000 tokens) is too long and exceeds limit of 8192",
    { contextWindow: 8192 },
  ],
  ["vLLM, with no room for a response", 400, "max_tokens must be at least 1, got -100.", {}],
  [
    "LM Studio, before a response",
    400,
    "Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)",
    { contextWindow: 4096, promptTokens: 5000 },
  ],
  [
    "TabbyAPI",
    400,
    "Prompt length 9000 is greater than max_seq_len 4096",
    { contextWindow: 4096, promptTokens: 9000 },
  ],
  [
    "Amazon Titan",
    400,
    "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9312",
    { contextWindow: 8192, promptTokens: 9312 },
  ],
  [
    "Google, without the count",
    400,
    "The input token count exceeds the maximum number of tokens allowed 1048576.",
    { contextWindow: 1_048_576 },
  ],
  [
    "Vertex AI",
    400,
    "Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again.",
    { contextWindow: 1_048_576, promptTokens: 1_100_000 },
  ],
  [
    "Cloudflare",
    400,
    "AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).",
    { contextWindow: 7968 },
  ],
  ["Snowflake", 400, "Request failed: max tokens of 8192 exceeded", { contextWindow: 8192 }],
  [
    "a server that counts all tokens",
    400,
    "Total number of tokens (9000) exceeds the maximum allowed (8192)",
    {},
  ],
  ["a server of few words", 400, "Input too long.", {}],
  ["a server that compares", 400, "The prompt is longer than the context window", {}],
  ["LiteLLM", 400, "litellm.ContextWindowExceededError: the backend refused", {}],
  ["Novita", 400, "The token count exceeds the model's context limit", {}],
  [
    "MLX",
    400,
    "Prompt length 9000 exceeds model context length 8192",
    { contextWindow: 8192, promptTokens: 9000 },
  ],
  [
    "GitHub Models",
    413,
    "Request body too large for gpt-4o model. Max size: 8000 tokens.",
    { contextWindow: 8000 },
  ],
  [
    "OpenAI, of one text",
    400,
    "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1234567 instead.",
    {},
  ],
  ["a proxy that counts bytes", 413, "The body is over the limit of 1048576 bytes.", {}],
  ["a proxy that counts MB", 413, "The body is over the limit of 10 MB.", {}],
  [
    "a server that groups digits",
    400,
    "This model's maximum context length is 128,000 tokens, however you requested 1,129,103 tokens.",
    { contextWindow: 128_000, promptTokens: 1_129_103 },
  ],
];

describe("refusals for length", () => {
  test.each(MESSAGES)("reads a refusal of %s from its message", (_name, status, message, expected) => {
    expect(overflowOf(refusal(status, { error: { message } }))).toEqual(expected);
  });

  test.each(REFUSALS)("reads a refusal of %s with its numbers", (_name, status, body, expected) => {
    expect(overflowOf(refusal(status, body))).toEqual(expected);
  });

  test("reads a refusal for length inside a stream", () => {
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
    429,
    {
      error: {
        message: "Rate limit reached for x on tokens per min (TPM): Limit 6000, Used 5000, Requested 2000.",
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
  [
    "an image that is too large",
    400,
    {
      error: {
        message:
          "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
      },
    },
  ],
  [
    "a tool that is described at too great length",
    400,
    {
      error: {
        message:
          "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024.",
      },
    },
  ],
  [
    "a limit of the response, in other words",
    400,
    { error: { message: "max_completion_tokens 99999 exceeds the maximum output length of 16384 tokens" } },
  ],
  [
    "a parameter out of range",
    400,
    { error: { message: "Invalid input: temperature must be <= 2 and top_p exceeds the maximum of 1" } },
  ],
  ["an overload", 529, { error: { type: "overloaded_error", message: "Overloaded" } }],
])("%s is no refusal for length", (_name, status, body) => {
  expect(overflowOf(refusal(status, body))).toBeUndefined();
});

test.each([undefined, null, 7, "words", {}, new Error("no")])("%s is no refusal for length", (error) => {
  expect(overflowOf(error)).toBeUndefined();
});
