/** The fakes are right: each vendor's own SDK reads from them what their script says. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { anthropic } from "./anthropic.js";
import { USED } from "./dialect.js";
import { KEY, startFake } from "./fake-provider.js";
import type { Dialect } from "./dialect.js";
import type { FakeStep } from "./fake-provider.js";
import { google } from "./google.js";
import { openAiChat } from "./openai-chat.js";
import { openAiResponses } from "./openai-responses.js";

/** A response as an SDK parsed it, in the same form for all. */
type Read = {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: unknown }[];
  /** In how many pieces the input of the calls came. */
  readonly inputPieces: number;
  readonly stop: string | null | undefined;
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number };
};

type Vendor = {
  readonly dialect: Dialect;
  readonly ask: (url: string, apiKey: string) => Promise<Read>;
  readonly stops: { readonly [reason in "end" | "calls" | "max_tokens" | "refusal"]: string };
  /** The status as this vendor's SDK reports it. */
  readonly badKey: number;
  readonly overloaded: number;
  readonly streamsInput: boolean;
};

const vendors: Record<string, Vendor> = {
  anthropic: {
    dialect: anthropic,
    ask: async (baseURL, apiKey) => {
      const client = new Anthropic({ baseURL, apiKey, maxRetries: 0, logLevel: "off" });
      const stream = client.messages.stream({
        model: "claude-fake",
        max_tokens: 100,
        messages: [{ role: "user", content: "go" }],
      });
      let inputPieces = 0;
      stream.on("inputJson", () => (inputPieces += 1));
      const { content, stop_reason: stop, usage } = await stream.finalMessage();
      const cached = usage.cache_read_input_tokens ?? 0;
      return {
        thought: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
        text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        calls: content.flatMap((block) =>
          block.type === "tool_use" ? [{ id: block.id, tool: block.name, input: block.input }] : [],
        ),
        inputPieces,
        stop,
        usage: { input: usage.input_tokens + cached, cached, output: usage.output_tokens },
      };
    },
    stops: { end: "end_turn", calls: "tool_use", max_tokens: "max_tokens", refusal: "refusal" },
    badKey: 401,
    overloaded: 529,
    streamsInput: true,
  },
  "openai responses": {
    dialect: openAiResponses,
    ask: async (url, apiKey) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, logLevel: "off" });
      const stream = client.responses.stream({ model: "gpt-fake", input: "go" });
      let inputPieces = 0;
      let refused = "";
      stream.on("response.function_call_arguments.delta", () => (inputPieces += 1));
      stream.on("response.refusal.done", ({ refusal }) => (refused = refusal));
      const { output, output_text, status, incomplete_details, usage } = await stream.finalResponse();
      return {
        thought: output
          .flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : []))
          .join(""),
        text: output_text + refused,
        calls: output.flatMap((item) =>
          item.type === "function_call"
            ? [{ id: item.call_id, tool: item.name, input: JSON.parse(item.arguments) as unknown }]
            : [],
        ),
        inputPieces,
        stop: refused === "" ? (incomplete_details?.reason ?? status) : "refusal",
        usage: {
          input: usage?.input_tokens ?? 0,
          cached: usage?.input_tokens_details.cached_tokens ?? 0,
          output: usage?.output_tokens ?? 0,
        },
      };
    },
    stops: { end: "completed", calls: "completed", max_tokens: "max_output_tokens", refusal: "refusal" },
    badKey: 401,
    overloaded: 503,
    streamsInput: true,
  },
  "openai chat": {
    dialect: openAiChat,
    ask: async (url, apiKey) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, logLevel: "off" });
      const stream = client.chat.completions.stream({
        model: "fake",
        messages: [{ role: "user", content: "go" }],
        stream_options: { include_usage: true },
      });
      let inputPieces = 0;
      let thought = "";
      let usage: OpenAI.CompletionUsage | undefined;
      stream.on("chunk", ({ choices, usage: reported }) => {
        usage = reported ?? usage;
        const delta = choices[0]?.delta;
        if (delta?.tool_calls?.[0]?.function?.arguments) inputPieces += 1;
        if (delta && "reasoning_content" in delta) thought += String(delta.reasoning_content);
      });
      const choice = (await stream.finalChatCompletion()).choices[0];
      return {
        thought,
        text: choice?.message.content ?? "",
        calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
          call.type === "function"
            ? [
                {
                  id: call.id,
                  tool: call.function.name,
                  input: JSON.parse(call.function.arguments) as unknown,
                },
              ]
            : [],
        ),
        inputPieces,
        stop: choice?.finish_reason,
        usage: {
          input: usage?.prompt_tokens ?? 0,
          cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
          output: usage?.completion_tokens ?? 0,
        },
      };
    },
    stops: { end: "stop", calls: "tool_calls", max_tokens: "length", refusal: "content_filter" },
    badKey: 401,
    overloaded: 503,
    streamsInput: true,
  },
  google: {
    dialect: google,
    ask: async (baseUrl, apiKey) => {
      const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } });
      const stream = await client.models.generateContentStream({ model: "gemini-fake", contents: "go" });
      const chunks: GenerateContentResponse[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      const used = chunks.at(-1)?.usageMetadata;
      const calls = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
      return {
        thought: parts.map(({ text, thought }) => (thought ? text : "")).join(""),
        text: parts.map(({ text, thought }) => (thought ? "" : text)).join(""),
        calls: calls.map(({ id, name, args }) => ({ id: String(id), tool: String(name), input: args })),
        inputPieces: calls.length,
        stop: chunks.at(-1)?.candidates?.[0]?.finishReason,
        usage: {
          input: used?.promptTokenCount ?? 0,
          cached: used?.cachedContentTokenCount ?? 0,
          output: (used?.candidatesTokenCount ?? 0) + (used?.thoughtsTokenCount ?? 0),
        },
      };
    },
    stops: { end: "STOP", calls: "STOP", max_tokens: "MAX_TOKENS", refusal: "SAFETY" },
    badKey: 400,
    overloaded: 503,
    streamsInput: false,
  },
};

const calls = [
  { id: "call_a", tool: "read_file", input: { path: "a/long/path.txt" } },
  { id: "call_b", tool: "terminal", input: { command: "ls -la" } },
];

describe.each(Object.entries(vendors))("%s's own SDK", (_, vendor) => {
  const { dialect, stops } = vendor;
  const ask = async (steps: readonly FakeStep[], key = KEY) =>
    vendor.ask((await startFake(dialect, steps)).url, key);
  const statusOf = async (steps: readonly FakeStep[], key = KEY): Promise<unknown> =>
    ask(steps, key).then(
      () => "no error",
      (error: unknown) => (error instanceof Error && "status" in error ? error.status : error),
    );

  test("reads thoughts, words, two calls with streamed input, why it stopped, and what was used", async () => {
    const { inputPieces, ...read } = await ask([{ think: "Let me look at it.", say: "I will look.", calls }]);
    expect(read).toEqual({
      thought: "Let me look at it.",
      text: "I will look.",
      calls,
      stop: stops.calls,
      usage: { input: USED.input, cached: USED.cached, output: USED.output },
    });
    if (vendor.streamsInput) expect(inputPieces).toBeGreaterThan(4);
    else expect(inputPieces).toBe(2);
  });

  test("reads a plain end, an end at the limit, and a refusal", async () => {
    expect(await ask([{ say: "Done." }])).toMatchObject({ text: "Done.", stop: stops.end });
    expect(await ask([{ say: "On and", end: "max_tokens" }])).toMatchObject({ stop: stops.max_tokens });
    expect(await ask([{ say: "I will not.", end: "refusal" }])).toMatchObject({
      text: "I will not.",
      stop: stops.refusal,
    });
  });

  test("reports a bad key, too many requests, an overload and a broken server by their status", async () => {
    expect(await statusOf([], "wrong")).toBe(vendor.badKey);
    expect(await statusOf([{ status: 429, headers: { "retry-after": "1" } }])).toBe(429);
    expect(await statusOf([{ status: 529 }])).toBe(vendor.overloaded);
    expect(await statusOf([{ status: 500 }])).toBe(500);
  });

  test.each(["cut", "malformed", "overloaded"] as const)("fails when the stream is %s", async (end) => {
    const made = ask([{ say: "Half of it", calls, end }]);
    expect(
      await made.then(
        () => "an answer",
        () => "an error",
      ),
    ).toBe("an error");
  });
});
