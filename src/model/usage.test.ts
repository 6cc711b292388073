import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { contextWindowOf, knownPrice, priceOf } from "./known-models.js";
import { costOf, usageOf } from "./usage.js";

const finish = (
  input: Partial<Record<"total" | "noCache" | "cacheRead" | "cacheWrite", number>>,
  output: Partial<Record<"total" | "text" | "reasoning", number>>,
): LanguageModelV3StreamPart => ({
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: {
      total: undefined,
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
      ...input,
    },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined, ...output },
  },
});

test("reports usage in the same fields for all providers and drops invalid counts", () => {
  expect(usageOf(finish({ total: 120, cacheRead: 20 }, { total: 30, reasoning: 10 }))).toEqual({
    inputTokens: 120,
    outputTokens: 30,
    reasoningTokens: 10,
    cachedTokens: 20,
  });
  expect(usageOf(finish({ total: Number.NaN, cacheWrite: 5 }, { total: -3, reasoning: 0 }))).toEqual({
    cacheWrittenTokens: 5,
    reasoningTokens: 0,
  });
});

test("reports nothing when the provider does not, or before the response ends", () => {
  expect(usageOf(finish({}, {}))).toBeUndefined();
  expect(usageOf({ type: "text-delta", id: "t", delta: "x" })).toBeUndefined();
});

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  reasoningTokens: 50_000,
  cachedTokens: 400_000,
  cacheWrittenTokens: 100_000,
};

test("counts each token once, at its own rate", () => {
  const price = { input: 3, output: 15, cached: 0.3, cacheWritten: 3.75 };
  expect(costOf(usage, price)).toBeCloseTo(0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 0.1 * 15, 10);
  expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(3 + 1.5, 10);
});

test("gives no cost for an unknown price or usage, or for a too long input", () => {
  expect(costOf(usage, undefined)).toBeUndefined();
  expect(costOf({ inputTokens: 5 }, { input: 1, output: 1 })).toBeUndefined();
  expect(costOf(usage, { input: 1, output: 1, upToInput: 200_000 })).toBeUndefined();
});

test("never gives a negative cost", () => {
  const tokens = fc.nat();
  const anyUsage = fc.record({
    inputTokens: tokens,
    outputTokens: tokens,
    cachedTokens: tokens,
    cacheWrittenTokens: tokens,
  });
  fc.assert(
    fc.property(anyUsage, (used) => {
      expect(costOf(used, { input: 3, output: 15, cached: 0.3 })).toBeGreaterThanOrEqual(0);
    }),
  );
});

test.each([
  ["anthropic", "claude-haiku-4-5", 1],
  ["anthropic", "claude-haiku-4-5-20251001", 1],
  ["openai", "gpt-5-2025-08-07", 1.25],
  ["openai", "gpt-5-pro", undefined],
  ["openai", "gpt-5.9", undefined],
  ["google", "gemini-2.5-flash", 0.3],
  ["google", "claude-haiku-4-5", undefined],
  ["openai-compatible", "gpt-5", undefined],
  ["openai", "__proto__", undefined],
] as const)("the price of %s/%s is known by that name or by a dated one", (provider, modelId, input) => {
  expect(priceOf({ provider, modelId })?.input).toBe(input);
  expect(contextWindowOf({ provider, modelId })).toBeGreaterThanOrEqual(128_000);
});

test("finds a price by the full name, and none for unknown or uncertain models", () => {
  expect(knownPrice("anthropic/claude-haiku-4-5-20251001")).toEqual(
    priceOf({ provider: "anthropic", modelId: "claude-haiku-4-5" }),
  );
  for (const name of [
    "anthropic/claude-sonnet-5-5",
    "anthropic/unknown",
    "openai-compatible/gpt-5",
    "gpt-5",
    "",
  ])
    expect(knownPrice(name)).toBeUndefined();
  expect(contextWindowOf({ provider: "anthropic", modelId: "claude-sonnet-5-5" })).toBe(1_000_000);
});
